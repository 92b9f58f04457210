-- Idiom: the default stands inside the conversion.
--: keys used
--: args 10
local limit = tonumber(ARGV[1] or '10')
if not limit then
  return redis.error_reply('ERR the limit is no number')
end
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
if used < limit then
  return redis.call('INCR', KEYS[1])
end
return -1
