local function get(key, field)
  local value = redis.call('HGET', key, field)
  if not value then return nil, 'missing' end
  return value
end
local a, b = get(KEYS[1], 'f')
return a
