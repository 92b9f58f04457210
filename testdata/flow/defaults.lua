-- Idiom: defaults by `and` and `or`.
--: keys name
--: args 3
--: args 3 yes
local name = redis.call('GET', KEYS[1]) or 'nobody'
reveal(name) --= string
local limit = tonumber(ARGV[1]) or 10
reveal(limit) --= number
local chosen = ARGV[2] == 'yes' and 1 or 0
reveal(chosen) --= integer
local flag = ARGV[2] and true
reveal(flag) --= true|nil
local maybe = redis.call('GET', KEYS[1]) or nil
reveal(maybe) --= string|nil
local given = ARGV[2] ~= nil
reveal(given) --= boolean
reveal(not name) --= false
return limit
