-- Idiom: what is too old is removed first, then the rest is counted; the refusal depends on what the write left.
--: keys log
--: args 1000 5 id
local now, max = tonumber(ARGV[1]), tonumber(ARGV[2])
if not now or not max then
  return redis.error_reply('ERR two numbers are needed')
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - 60)
if redis.call('ZCARD', KEYS[1]) >= max then
  return 0
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('EXPIRE', KEYS[1], 60)
return 1
