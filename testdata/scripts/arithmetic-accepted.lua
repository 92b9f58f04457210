-- Idiom: arithmetic before the first write proves that the argument is a number.
--: keys bucket
--: args 10 3
local capacity = ARGV[1] + 0
local wanted = ARGV[2] + 0
local left = tonumber(redis.call('GET', KEYS[1]) or capacity)
if left < wanted then
  return -1
end
redis.call('SET', KEYS[1], left - wanted)
redis.call('EXPIRE', KEYS[1], capacity)
return left - wanted
