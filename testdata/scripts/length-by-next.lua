-- Idiom: `next` says whether the table is empty.
--: keys jobs
--: before ZADD jobs 1 a 2 b
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', 10, 'LIMIT', 0, 100)
if next(due) ~= nil then
  redis.call('ZREM', KEYS[1], unpack(due))
end
return due
