-- At most a hundred values, and at least one.
--: keys delayed ready
--: before ZADD delayed 1 a
local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, 5, 'LIMIT', 0, 100)
if #due > 0 then
  redis.call('RPUSH', KEYS[2], unpack(due))
end
return #due
