-- Idiom: method calls on strings and on literals.
--: keys doc
--: args a:b:7
local text = ARGV[1]
if not text then
  return 0
end
reveal(text) --= string, ARGV[1]
reveal(text:len()) --= integer
reveal(text:upper()) --= string
reveal(text:sub(1, 1)) --= string
reveal(text:find(':', 1, true)) --= integer|nil
reveal(text:match('%d+')) --= any
reveal(text:gsub(':', '-')) --= string
reveal(('%s:%d'):format(text, 1)) --= string
reveal(('x'):rep(3)) --= string
reveal(string.format('%d', 12)) --= numeral
reveal(string.byte(text)) --= integer|nil
reveal(#text) --= integer
for word in text:gmatch('[^:]+') do
  reveal(word) --= any
end
return text
