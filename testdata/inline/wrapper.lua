local function call(cmd, ...)
  local n = select('#', ...)
  return redis.call(cmd, ...)
end
local t = { call('MGET', KEYS[1], KEYS[2]) }
return call('GET', KEYS[1])
