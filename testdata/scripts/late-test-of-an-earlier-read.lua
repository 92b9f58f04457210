-- The reply was there before the write, by way of a default and a local.
--: keys stock orders
--: args 1
--: before SET stock 3
local stock = tonumber(redis.call('GET', KEYS[1]) or '0')
redis.call('INCR', KEYS[2])
if stock < 1 then --~ write-before-validation
  return redis.error_reply('ERR sold out')
end
return redis.call('DECR', KEYS[1])
