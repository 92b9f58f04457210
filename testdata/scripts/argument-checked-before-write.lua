-- Checked, then used.
--: select unvalidated-argument write-before-validation
--: keys counter
--: args 60
if not tonumber(ARGV[1]) then
  return redis.error_reply('ERR the time to live is no number')
end
local n = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return n
