-- The comparison raises on a limit that is no number, and the counter has moved.
--: select unvalidated-argument
--: keys counter
--: args 3
local limit = tonumber(ARGV[1])
local n = redis.call('INCR', KEYS[1])
if n > limit then --~ unvalidated-argument
  return 0
end
return 1
