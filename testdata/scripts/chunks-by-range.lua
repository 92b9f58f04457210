-- Idiom: `unpack` takes a range of at most a thousand values.
--: keys source target
--: before RPUSH source a b c
local all = redis.call('LRANGE', KEYS[1], 0, -1)
for i = 1, #all, 1000 do
  redis.call('RPUSH', KEYS[2], unpack(all, i, math.min(i + 999, #all)))
end
return #all
