--: args 6 600
-- Numbers from outside are taken as whole, and these quotients are.
local limit = tonumber(ARGV[1])
local now = tonumber(ARGV[2])
local window = now - now % 60
local slot = (now - now % limit) / limit
local pairs = (#ARGV - 2) / 2
local half = math.floor(limit / 2)
return { window, slot, pairs, half, limit / 1, math.min(limit, now), tostring(limit / 3) }
