-- A hundred rounds at most.
--: select argument-bounded-loop
--: keys list
--: args 3
local rounds = tonumber(ARGV[1])
if not rounds then
  return redis.error_reply('ERR the number of rounds is no number')
end
for i = 1, math.min(rounds, 100) do
  redis.call('RPUSH', KEYS[1], i)
end
return redis.call('LLEN', KEYS[1])
