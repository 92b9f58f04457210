-- Beyond 7,999 members the call of unpack raises.
--: keys source target
--: before SADD source a b
local members = redis.call('SMEMBERS', KEYS[1])
if #members > 0 then
  return redis.call('SADD', KEYS[2], unpack(members)) --~ unpack-limit
end
return 0
