-- The kinds of replies, options included.
--: keys string hash list set zset stream
--: before SET string 5
--: before HSET hash a 1 b x
--: before RPUSH list a b c
--: before SADD set a b
--: before ZADD zset 1 a 2.5 b
reveal(redis.call('GET', KEYS[1])) --= string|false
reveal(redis.call('SET', KEYS[1], 1)) --= status
reveal(redis.call('SET', KEYS[1], 1, 'NX')) --= status|false
reveal(redis.call('SET', KEYS[1], 2, 'GET')) --= string|false
reveal(redis.call('INCR', KEYS[1])) --= integer
reveal(redis.call('INCRBYFLOAT', KEYS[1], '0.5')) --= numeral
reveal(redis.call('EXISTS', KEYS[1])) --= integer
reveal(redis.call('TYPE', KEYS[1])) --= status
reveal(redis.call('TTL', KEYS[1])) --= integer
reveal(redis.call('HGET', KEYS[2], 'a')) --= string|false
reveal(redis.call('HGETALL', KEYS[2])) --= table
local fields = redis.call('HMGET', KEYS[2], 'a', 'none')
reveal(fields) --= table
reveal(fields[1]) --= string|false
reveal(fields[2]) --= string|false
reveal(redis.call('HSET', KEYS[2], 'c', 1)) --= integer
reveal(redis.call('HMSET', KEYS[2], 'c', 1)) --= status
reveal(redis.call('LPOP', KEYS[3])) --= string|false
reveal(redis.call('LPOP', KEYS[3], 1)) --= table|false
reveal(redis.call('LLEN', KEYS[3])) --= integer
reveal(redis.call('LINDEX', KEYS[3], 0)) --= string|false
reveal(redis.call('SMEMBERS', KEYS[4])) --= table
reveal(redis.call('SISMEMBER', KEYS[4], 'a')) --= integer
reveal(redis.call('SPOP', KEYS[4])) --= string|false
reveal(redis.call('ZSCORE', KEYS[5], 'b')) --= numeral|false
reveal(redis.call('ZADD', KEYS[5], 3, 'c')) --= integer
reveal(redis.call('ZADD', KEYS[5], 'INCR', 3, 'c')) --= numeral
reveal(redis.call('ZRANK', KEYS[5], 'c')) --= integer|false
local pairs_of = redis.call('ZRANGE', KEYS[5], 0, -1, 'WITHSCORES')
reveal(pairs_of) --= table
reveal(pairs_of[2]) --= any
reveal(redis.call('XADD', KEYS[6], '*', 'f', 'v')) --= text
reveal(redis.call('PING')) --= status
reveal(redis.call('DEL', KEYS[1])) --= integer
return 1
