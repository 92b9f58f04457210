--: keys a b
--: before SET a 1
-- Status, error and RESP3 replies are tables with names, a module's functions are no reply, and what is encoded is none either.
local found = { at = redis.call('TTL', KEYS[1]) }
if found.at == -2 then
  return { err = 'GONE no such key' }
end
if found.at == -1 then
  return { ok = 'FOREVER' }
end
local list = redis.call('LRANGE', KEYS[2], 0, 0)
if #list == 0 then
  return { double = 0.5 }
end
return { list[1], cjson.encode(found) }
