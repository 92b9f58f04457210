-- Idiom: texts put together.
--: keys app
--: args 5
local id = ARGV[1]
if not id then
  return 0
end
reveal('job:' .. id) --= string
reveal(KEYS[1] .. ':' .. id) --= string
reveal(1 .. 2) --= numeral
reveal(string.format('%s:%s', KEYS[1], id)) --= string
reveal(table.concat({KEYS[1], 'job', id}, ':')) --= string
reveal(tostring(1)) --= numeral
reveal(tostring(nil)) --= string
reveal(redis.sha1hex('x')) --= string
return id
