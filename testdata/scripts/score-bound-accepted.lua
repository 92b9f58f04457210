-- A bound of scores is checked by the command that takes it.
--: select unvalidated-argument
--: keys window
--: args 100
redis.call('ZCOUNT', KEYS[1], 0, ARGV[1])
redis.call('ZADD', KEYS[1], 1, 'first')
return redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1])
