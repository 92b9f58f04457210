-- Idiom: guards against every way to be absent.
--: keys name count hash
--: args
--: args 5 x
--: args 5 x set
--: before SET count 3
local name = redis.call('GET', KEYS[1])
if name == nil or name == false then
  reveal(name) --= false
  name = 'nobody'
end
reveal(name) --= string
local count = redis.call('GET', KEYS[2])
if not count or count == '' then
  return 0
end
reveal(count) --= string
if type(count) == 'string' then
  reveal(count) --= string
end
local n = tonumber(ARGV[1])
reveal(n) --= number|nil
if n == nil then
  reveal(n) --= nil
  return -1
end
reveal(n) --= number
reveal(ARGV[1]) --= numeral
if ARGV[3] then
  redis.call('HSET', KEYS[3], 'f', ARGV[3])
end
local field = redis.call('HGET', KEYS[3], 'f')
if field then
  reveal(field) --= string
else
  reveal(field) --= false
end
if ARGV[2] == 'x' then
  reveal(ARGV[2]) --= text
end
return n
