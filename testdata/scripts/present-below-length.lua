-- Idiom: an index below LLEN is present.
--: keys jobs
--: before RPUSH jobs a b c
local sizes = {}
local length = redis.call('LLEN', KEYS[1])
for i = 0, math.min(length, 100) - 1 do
  sizes[#sizes + 1] = #redis.call('LINDEX', KEYS[1], i)
end
return sizes
