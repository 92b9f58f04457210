-- Idiom: short names for the API and its tables.
--: keys counter text
--: args 5
--: before SET text x
local rcall = redis.call
local KEYS, ARGV = KEYS, ARGV
local api = redis
reveal(KEYS[1]) --= string|nil, KEYS[1]
reveal(ARGV[1]) --= string|nil, ARGV[1]
local n = rcall('INCR', KEYS[1])
reveal(n) --= integer, the reply of INCR
local text = api.call('GET', KEYS[2])
reveal(text) --= string|false, the reply of GET
local status = api.pcall('SET', KEYS[2], 'y')
reveal(status) --= status|error, the reply of SET
reveal(rcall) --= function
return n
