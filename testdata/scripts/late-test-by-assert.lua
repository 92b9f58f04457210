-- `assert` is a test and a refusal.
--: keys hits
--: args 60
local hits = redis.call('INCR', KEYS[1])
assert(tonumber(ARGV[1]), 'no number') --~ write-before-validation
redis.call('EXPIRE', KEYS[1], ARGV[1])
return hits
