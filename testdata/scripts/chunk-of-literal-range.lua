-- Idiom: the range read is below the limit of unpack.
--: keys source target
--: before RPUSH source a b
local values = redis.call('LRANGE', KEYS[1], 0, 6999)
if #values > 0 then
  redis.call('RPUSH', KEYS[2], unpack(values))
  redis.call('LTRIM', KEYS[1], #values, -1)
end
return #values
