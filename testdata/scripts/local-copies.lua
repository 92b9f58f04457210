-- Idiom: locals with the names of the globals.
--: keys doc
--: args '{"v":1}'
local KEYS, ARGV = KEYS, ARGV
local cjson, redis = cjson, redis
local doc = cjson.decode(ARGV[1])
redis.call('HSET', KEYS[1], 'doc', cjson.encode(doc))
return redis.call('HLEN', KEYS[1])
