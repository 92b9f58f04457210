-- The first argument is only held against a reply: the script checks no argument at all, and callers pass what is right.
--: keys opened hits
--: args 5 60
local opened = tonumber(redis.call('GET', KEYS[1]) or 0) or 0
if opened > 0 and opened + ARGV[1] > 100 then
  return 0
end
if redis.call('INCR', KEYS[2]) == 1 then
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
return 1
