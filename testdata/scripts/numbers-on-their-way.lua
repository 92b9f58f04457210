-- Milliseconds have 13 digits, a fraction may be a score or a value, and the old expiry is given where nothing has changed it.
--: keys a b
--: args x
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = redis.call('PTTL', KEYS[1])
if left > 0 then
  return { left, 'at:' .. now }
end
redis.call('ZADD', KEYS[1], now / 1000, now .. ':' .. ARGV[1])
redis.call('SET', KEYS[2], now / 7)
redis.call('PEXPIRE', KEYS[1], math.ceil(now / 7))
return { redis.call('PTTL', KEYS[1]), tostring(now / 7) }
