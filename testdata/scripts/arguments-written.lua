-- Idiom: the tables of the caller are changed on the way.
--: keys list
--: args head a b
local first = table.remove(ARGV, 1)
ARGV[#ARGV + 1] = first
KEYS[2] = KEYS[1]
for _, value in ipairs(ARGV) do
  redis.call('RPUSH', KEYS[2], value)
end
return redis.call('LLEN', KEYS[1])
