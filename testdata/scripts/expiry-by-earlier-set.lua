-- Idiom: SET NX PX makes the counter with its expiry before it is counted.
--: keys window
redis.call('SET', KEYS[1], 0, 'NX', 'PX', 1000)
local n = redis.call('INCR', KEYS[1])
return {n, redis.call('PTTL', KEYS[1])}
