-- Takes items from the stock and files the order.
-- KEYS[1] shop:stock
-- KEYS[2] shop:orders
-- ARGV: item, amount, order id
local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[2])
if ARGV[3] == '' then
  return redis.error_reply('ERR the order has no id')
end
local filed = redis.pcall('RPUSH', KEYS[2], ARGV[3])
if filed.err then
  redis.log(redis.LOG_WARNING, 'not filed: ' .. filed.err)
end
local waiting = redis.call('SMEMBERS', 'shop:waiting')
if #waiting > 0 then
  redis.call('PUBLISH', 'restock', table.concat(waiting, ','))
end
return left
