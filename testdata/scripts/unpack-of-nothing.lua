-- RPUSH without a value is an error.
--: keys delayed ready
--: before ZADD delayed 1 a
local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, 5, 'LIMIT', 0, 100)
redis.call('RPUSH', KEYS[2], unpack(due)) --~ unguarded-unpack
return #due
