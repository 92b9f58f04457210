function! EvalintFindings(buffer, lines) abort
  let l:types = {'error': 'E', 'warning': 'W', 'info': 'I'}
  " Vim counts columns in bytes, evalint in characters.
  let l:Column = {place -> byteidx(get(getbufline(a:buffer, place.line), 0, ''), place.column - 1) + 1}
  let l:findings = []
  for l:one in ale#util#FuzzyJSONDecode(a:lines, {'diagnostics': []}).diagnostics
    call add(l:findings, {
    \ 'filename': l:one.path, 'type': l:types[l:one.severity], 'code': l:one.rule, 'text': l:one.message,
    \ 'lnum': l:one.span.start.line, 'col': l:Column(l:one.span.start),
    \ 'end_lnum': l:one.span.end.line, 'end_col': l:Column(l:one.span.end) - 1,
    \ })
  endfor
  return l:findings
endfunction

call ale#linter#Define('lua', {
\ 'name': 'evalint',
\ 'executable': 'evalint',
\ 'command': '%e check --detect --format json --exit-zero --quiet --stdin-filename %s -',
\ 'callback': 'EvalintFindings',
\ })
