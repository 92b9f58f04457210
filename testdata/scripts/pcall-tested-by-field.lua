-- LPUSH answers a number, and a number has no fields: the test itself raises when all went well.
--: keys queue
local r = redis.pcall('LPUSH', KEYS[1], 'job')
if r.err then --~ error-field-of-non-table
  return redis.error_reply('ERR the queue is no list')
end
return r
