-- Idiom: EXISTS and HEXISTS prove that the reads below find a value.
--: keys stock item
--: before SET stock 4
--: before HSET item price 3
if redis.call('EXISTS', KEYS[1]) == 0 then
  return -1
end
local left = redis.call('GET', KEYS[1]) - 1
if redis.call('HEXISTS', KEYS[2], 'price') == 1 then
  return left * redis.call('HGET', KEYS[2], 'price')
end
return left
