-- Idiom: the other path deletes the counter, so nothing is left without expiry.
--: keys holders
local n = redis.call('DECR', KEYS[1])
if n > 0 then
  redis.call('EXPIRE', KEYS[1], 30)
else
  redis.call('DEL', KEYS[1])
end
return n
