-- EXPIRE may refuse the argument when the counter has moved already.
--: select unvalidated-argument
--: keys counter
--: args 60
local n = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1]) --~ unvalidated-argument
return n
