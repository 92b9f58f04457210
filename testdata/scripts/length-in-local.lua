-- Idiom: the length is kept in a local.
--: keys jobs done
--: before ZADD jobs 1 a 2 b
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', 10, 'LIMIT', 0, 100)
local count = #due
if count > 0 then
  redis.call('ZREM', KEYS[1], unpack(due))
  redis.call('LPUSH', KEYS[2], unpack(due))
end
return count
