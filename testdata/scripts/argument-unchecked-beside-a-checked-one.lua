-- The script checks one argument and forgets the other.
--: keys counter
--: args 5 60
local by = tonumber(ARGV[1])
if not by then
  return redis.error_reply('ERR the increment is no number')
end
local n = redis.call('INCRBY', KEYS[1], by)
redis.call('EXPIRE', KEYS[1], ARGV[2]) --~ unvalidated-argument
return n
