-- Idiom: a buffer is written and emptied whenever it holds 500 values.
--: keys target
--: args a b c
local buffer = {}
for i = 1, #ARGV do
  buffer[#buffer + 1] = ARGV[i]
  if #buffer == 500 then
    redis.call('LPUSH', KEYS[1], unpack(buffer))
    buffer = {}
  end
end
if #buffer > 0 then
  redis.call('LPUSH', KEYS[1], unpack(buffer))
end
return redis.call('LLEN', KEYS[1])
