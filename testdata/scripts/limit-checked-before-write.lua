-- The refusal tests what the write itself answered.
--: select unvalidated-argument write-before-validation
--: keys counter
--: args 3
local limit = tonumber(ARGV[1])
if not limit then
  return redis.error_reply('ERR the limit is no number')
end
local n = redis.call('INCR', KEYS[1])
if n > limit then
  return 0
end
return 1
