-- Idiom: one of two keys, chosen by `and` and `or`.
--: keys fast slow
--: args urgent job
--: args normal job
local queue = ARGV[1] == 'urgent' and KEYS[1] or KEYS[2]
return redis.call('LPUSH', queue, ARGV[2])
