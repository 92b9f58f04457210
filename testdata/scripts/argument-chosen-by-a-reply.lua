-- What a write answers decides which argument counts.
--: keys polls
--: args 1 2
local amount = ARGV[2]
if redis.call('INCR', KEYS[1]) == 1 then
  amount = ARGV[1]
end
if tonumber(amount) < 1 then
  return redis.error_reply('ERR nothing') --~ error-after-write
end
return amount
