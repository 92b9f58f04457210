-- Idiom: which argument counts depends on a read.
--: keys poll
--: args 1 5
--: before SET poll 1
local polls = tonumber(redis.call('GET', KEYS[1]) or '0')
local amount = tonumber(ARGV[2])
if polls == 1 then
  amount = tonumber(ARGV[1])
end
if not amount then
  return redis.error_reply('ERR the amount is no number')
end
return redis.call('INCRBY', KEYS[1], amount)
