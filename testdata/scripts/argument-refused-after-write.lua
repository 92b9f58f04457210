-- The argument could have been refused before the counter moved.
--: keys counter
--: args 1 60
local n = redis.call('INCR', KEYS[1])
local ttl = tonumber(ARGV[2])
if not ttl then --~ write-before-validation
  return redis.error_reply('ERR the time to live is no number')
end
redis.call('EXPIRE', KEYS[1], ttl)
return n
