-- Idiom: the reply equals the increment, so the counter is new and gets its expiry.
--: keys hits
--: args 3 60000
local by, ms = tonumber(ARGV[1]), tonumber(ARGV[2])
if not by or not ms then
  return redis.error_reply('ERR two numbers are needed')
end
local n = redis.call('INCRBY', KEYS[1], by)
if n == by then
  redis.call('PEXPIRE', KEYS[1], ms)
end
return n
