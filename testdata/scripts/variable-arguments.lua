-- Idiom: `arg` is Lua 5.0's name for the variable arguments.
--: keys set
local function add(key, ...)
  local count = select('#', ...)
  if count == 0 then
    return 0
  end
  return redis.call('SADD', key, ...)
end
return add(KEYS[1], 'a', 'b')
