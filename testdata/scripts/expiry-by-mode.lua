-- Idiom: the caller chooses whether the counter expires.
--: keys counter
--: args 1 60
--: args 0 60
local ttl = tonumber(ARGV[2])
if not ttl then
  return redis.error_reply('ERR a time to live is needed')
end
local n = redis.call('INCR', KEYS[1])
if ARGV[1] == '1' then
  redis.call('EXPIRE', KEYS[1], ttl)
end
return n
