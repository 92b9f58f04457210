-- Idiom: helpers, which are inlined at each call.
--: keys counter other
--: args 4
local function number(text)
  return tonumber(text) or 0
end
local function bump(key, by)
  return redis.call('INCRBY', key, by)
end
local function both(key)
  return bump(key, 1), redis.call('GET', key)
end
local n = number(ARGV[1])
reveal(n) --= number
reveal(bump(KEYS[1], n)) --= integer, the reply of INCRBY
local count, text = both(KEYS[2])
reveal(count) --= integer, the reply of INCRBY
reveal(text) --= string|false, the reply of GET
local function nothing()
end
reveal(nothing()) --= nil
return count
