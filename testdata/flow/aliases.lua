-- Idiom: short names for the API and its tables.
--: keys counter
--: args 5
local rcall = redis.call
local KEYS, ARGV = KEYS, ARGV
local api = redis
local n = rcall('INCR', KEYS[1])
reveal(n) --= integer, the reply of INCR
reveal(KEYS[1]) --= string, `KEYS[1]`
reveal(ARGV[1]) --= string|nil, `ARGV[1]`
local text = api.call('GET', KEYS[1])
reveal(text) --= string|false, the reply of GET
return n
