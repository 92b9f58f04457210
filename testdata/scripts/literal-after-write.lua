-- A literal right under a test refuses too, if the script would go on to write.
--: select write-before-validation
--: keys hits members
--: args ann
--: before SADD members bob
redis.call('INCR', KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 0 then --~ write-before-validation
  return 0
end
if ARGV[1] == 'dry' then
  return 1
end
redis.call('SADD', KEYS[2], ARGV[1])
if redis.call('EXISTS', KEYS[2]) == 0 then
  return 0
end
return 1
