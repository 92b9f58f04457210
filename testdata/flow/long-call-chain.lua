-- Of a long chain of calls the labels say where it begins and ends.
--: keys n
--: args 3
local function a(n) return redis.call('INCRBY', KEYS[1], n / 3) end --~ fractional-operand
local function b(n) return a(n) end
local function c(n) return b(n) end
local function d(n) return c(n) end
local function e(n) return d(n) end
return e(tonumber(ARGV[1]) or 1)
