-- Idiom: keys by name.
--: keys wait active
--: before RPUSH wait job
local keys = {wait = KEYS[1], active = KEYS[2]}
local job = redis.call('RPOPLPUSH', keys.wait, keys.active)
if not job then
  return false
end
return {job, redis.call('LLEN', keys.active)}
