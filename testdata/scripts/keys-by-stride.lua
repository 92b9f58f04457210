-- Idiom: keys come in groups of three.
--: keys a:n a:log a:seen b:n b:log b:seen
local total = 0
for i = 1, #KEYS, 3 do
  total = total + redis.call('INCR', KEYS[i])
  redis.call('RPUSH', KEYS[i + 1], total)
  redis.call('SADD', KEYS[i + 2], total)
end
return total
