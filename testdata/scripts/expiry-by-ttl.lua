-- Idiom: a negative TTL says that the counter has no expiry yet.
--: keys window
local n = redis.call('INCR', KEYS[1])
if redis.call('TTL', KEYS[1]) < 0 then
  redis.call('EXPIRE', KEYS[1], 60)
end
return n
