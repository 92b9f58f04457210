-- Idiom: a member that was just listed has a rank.
--: keys board
--: before ZADD board 1 a 2 b
local first = redis.call('ZRANGE', KEYS[1], 0, 0)
if #first == 0 then
  return 0
end
return redis.call('ZREVRANK', KEYS[1], first[1]) + 1
