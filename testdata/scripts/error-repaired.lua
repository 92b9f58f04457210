-- The script undoes its write before it refuses.
--: keys stock
--: args 5
--: before SET stock 8
local left = redis.call('DECRBY', KEYS[1], 5)
if left < 0 then
  redis.call('INCRBY', KEYS[1], 5)
  return redis.error_reply('ERR sold out')
end
return left
