-- A scheme of two prefixes is one: the index of a queue is no mistake beside its jobs.
--: keys queue
--: args job: 1
redis.call('HSET', ARGV[1] .. ARGV[2], 'state', 'new') --~ argument-key "builds 3 keys from the prefixes `ARGV[1]`, `KEYS[1]` and arguments (lines 4, 5 and 6)"
redis.call('RPUSH', ARGV[1] .. 'wait', ARGV[2])
redis.call('SADD', KEYS[1] .. ':index', ARGV[2])
return redis.call('LLEN', KEYS[1])
