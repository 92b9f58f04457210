-- Idiom: every command goes through one function.
--: keys counter log
local function call(command, ...)
  return redis.call(command, ...)
end
local n = call('INCR', KEYS[1])
call('RPUSH', KEYS[2], n)
return call('LRANGE', KEYS[2], 0, 9)
