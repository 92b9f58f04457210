-- Idiom: one argument carries all others.
--: keys job
--: args "\x82\xa2id\x07\xa4name\xa1x"
local job = cmsgpack.unpack(ARGV[1])
redis.call('HSET', KEYS[1], 'name', job.name)
return job.name
