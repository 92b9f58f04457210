-- Idiom: a reply that the script adds an element to is not empty.
--: keys list
--: args 1 x
local all = redis.call('LRANGE', KEYS[1], 0, 99)
table.insert(all, ARGV[2])
redis.call('DEL', KEYS[1])
return redis.call('RPUSH', KEYS[1], unpack(all))
