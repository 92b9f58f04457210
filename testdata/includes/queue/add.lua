--- @include "parts/store"

local left = redis.call('GET', KEYS[2])
if left == nil then --~ nil-check-on-reply
  return 0
end
storeJob(KEYS[1], ARGV[1])
return 1
