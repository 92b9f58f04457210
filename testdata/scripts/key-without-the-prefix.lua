-- One name lacks the prefix that all others have.
--: keys queue
--: args 1
redis.call('HSET', KEYS[1] .. ':job', 'state', 'new') --~ derived-key "builds 2 keys from the prefix `KEYS[1]`"
redis.call('RPUSH', KEYS[1] .. ':wait', ARGV[1])
redis.call('SADD', 'index:' .. ARGV[1], ARGV[1]) --~ argument-key "lacks the prefix of the script's other built keys"
return redis.call('LLEN', KEYS[1])
