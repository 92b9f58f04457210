-- Idiom: functions that pass their arguments on.
--: keys counter none
local function call(command, ...)
  return redis.call(command, ...)
end
local function count(...)
  return select('#', ...)
end
local function second(...)
  local _, other = ...
  return other
end
local function packed(...)
  local all = {...}
  return all[1], #all
end
reveal(call('INCR', KEYS[1])) --= integer, the reply of INCR
reveal(call('HGETALL', KEYS[2])) --= table, the reply of HGETALL
reveal(count('a', nil, 'b')) --= integer
reveal(second(1, 'x')) --= text
reveal(second(1)) --= nil
local first, length = packed(KEYS[1], 'b')
reveal(first) --= string, KEYS[1]
reveal(length) --= integer
reveal((select(2, 'a', 7))) --= integer
return 1
