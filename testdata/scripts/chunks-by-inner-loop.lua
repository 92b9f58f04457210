-- Idiom: a table that an inner loop fills with at most a literal number of elements.
--: keys jobs weights
--: before ZADD jobs 1 a 2 b
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf')
local size = 1000
for i = 1, #expired, size do
  local batch = {}
  for j = i, math.min(i + size - 1, #expired) do
    table.insert(batch, expired[j])
  end
  redis.call('HDEL', KEYS[2], unpack(batch))
end
return #expired
