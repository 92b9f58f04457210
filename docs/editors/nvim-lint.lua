local levels = vim.diagnostic.severity
local severities = { error = levels.ERROR, warning = levels.WARN, info = levels.INFO }

require('lint').linters.evalint = function()
  local path = vim.api.nvim_buf_get_name(0)
  return {
    cmd = 'evalint',
    args = { 'check', '--detect', '--format', 'json', '--exit-zero', '--quiet', '--stdin-filename', path, '-' },
    stdin = true,
    parser = function(output, buffer)
      -- Neovim counts columns in bytes from 0, evalint in characters from 1.
      local function column(place)
        local line = vim.api.nvim_buf_get_lines(buffer, place.line - 1, place.line, false)[1] or ''
        return vim.str_byteindex(line, math.min(place.column - 1, vim.str_utfindex(line)))
      end
      local found = {}
      for _, one in ipairs(vim.json.decode(output).diagnostics) do
        found[#found + 1] = {
          source = 'evalint',
          code = one.rule,
          message = one.message,
          severity = severities[one.severity],
          lnum = one.span.start.line - 1,
          col = column(one.span.start),
          end_lnum = one.span['end'].line - 1,
          end_col = column(one.span['end']),
        }
      end
      return found
    end,
  }
end

require('lint').linters_by_ft = { lua = { 'evalint' } }
vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWritePost' }, {
  pattern = '*.lua',
  callback = function() require('lint').try_lint() end,
})
