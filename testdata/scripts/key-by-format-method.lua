-- Idiom: a method of a literal builds the key; a scheme is one information.
--: keys room
--: args 17
local message = ('%s:msg:%s'):format(KEYS[1], ARGV[1])
if redis.call('EXISTS', message) == 1 then --~ derived-key
  return redis.call('DEL', message)
end
return 0
