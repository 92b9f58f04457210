-- Idiom: fields of one hash are stored together, so testing one covers the others.
--: keys bucket
--: args 100 5
--: before HMSET bucket at 90 left 2
local now, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
if not now or not capacity then
  return redis.error_reply('ERR two numbers are needed')
end
local left = capacity
local r = redis.call('HMGET', KEYS[1], 'at', 'left')
if r[1] then
  left = math.min(capacity, tonumber(r[2]) + now - tonumber(r[1]))
end
if left < 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'at', now, 'left', left - 1)
redis.call('EXPIRE', KEYS[1], 3600)
return 1
