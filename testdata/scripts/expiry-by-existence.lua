-- Idiom: EXISTS before the write says whether the expiry has to be set.
--: keys visits
local fresh = redis.call('EXISTS', KEYS[1]) == 0
local n = redis.call('INCR', KEYS[1])
if fresh then
  redis.call('EXPIRE', KEYS[1], 3600)
end
return n
