(require 'flycheck)

(defun my-evalint-errors (output checker buffer)
  "Turn the JSON in OUTPUT into errors of CHECKER in BUFFER."
  (let ((document (car (flycheck-parse-json output))))
    (mapcar
     (lambda (one)
       (let-alist one
         (flycheck-error-new-at
          .span.start.line .span.start.column
          (pcase .severity ("error" 'error) ("warning" 'warning) (_ 'info))
          .message
          :end-line .span.end.line :end-column .span.end.column
          :id .rule :checker checker :buffer buffer :filename .path)))
     (alist-get 'diagnostics document))))

(flycheck-define-checker redis-lua
  "Redis and Valkey scripts, checked by evalint."
  :command ("evalint" "check" "--detect" "--format" "json" "--exit-zero" "--quiet"
            "--stdin-filename" source-original "-")
  :standard-input t
  :error-parser my-evalint-errors
  :predicate flycheck-buffer-saved-p
  :modes (lua-mode lua-ts-mode))

(add-to-list 'flycheck-checkers 'redis-lua)
