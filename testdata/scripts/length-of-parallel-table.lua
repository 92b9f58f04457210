-- Idiom: two tables grow together, one is tested.
--: keys jobs log
--: before ZADD jobs 1 a 2 b
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', 10, 'LIMIT', 0, 100)
local names, entries = {}, {}
for _, job in ipairs(due) do
  names[#names + 1] = job
  entries[#entries + 1] = 'done ' .. job
end
if #names > 0 then
  redis.call('ZREM', KEYS[1], unpack(names))
  redis.call('RPUSH', KEYS[2], unpack(entries))
end
return #names
