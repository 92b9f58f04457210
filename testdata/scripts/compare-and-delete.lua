-- Idiom: release a lock only if it is still ours.
--: keys lock
--: args token
--: before SET lock token
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
