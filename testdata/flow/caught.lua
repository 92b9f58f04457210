-- Idiom: results of pcall, Redis's and Lua's.
--: keys queue text
--: args
--: args list
--: args text
--: before SET text x
local reply = redis.pcall('LPUSH', ARGV[1] == 'text' and KEYS[2] or KEYS[1], 'job')
reveal(reply) --= integer|error
if type(reply) == 'table' and reply.err then
  reveal(reply.err) --= text
  return reply.err
end
local failed = redis.pcall('LPUSH', ARGV[1] == 'list' and KEYS[1] or KEYS[2], 'job')
if type(failed) == 'table' then
  reveal(failed) --= error
  reveal(failed.err) --= text
else
  reveal(failed) --= integer
end
local ok, result = pcall(redis.call, 'LPUSH', KEYS[2], 'job')
reveal(ok) --= boolean
reveal(result) --= any
local fine, value = pcall(function()
  return redis.call('LLEN', KEYS[1])
end)
reveal(fine) --= boolean
if fine then
  reveal(value) --= any
end
local done, message = pcall(error, 'no')
reveal(done) --= boolean
reveal(message) --= any
reveal(redis.error_reply('ERR no')) --= error
reveal(redis.status_reply('OK')) --= status
return 1
