-- Idiom: a list that exists is not empty.
--: keys jobs copy
--: before RPUSH jobs a b
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('RPUSH', KEYS[2], unpack(redis.call('LRANGE', KEYS[1], 0, 99)))
end
return redis.call('LLEN', KEYS[2])
