-- The result of pcall is tested for being an error before it is used.
--: keys queue
local r = redis.pcall('LPUSH', KEYS[1], 'job')
if type(r) == 'table' and r.err then
  return redis.error_reply('ERR the queue is no list')
end
return r
