--- @include "trim"

local function storeJob(key, value)
  redis.call('SET', key, value, 'EX', 'soon') --~ invalid-argument
  trimEvents(key)
end
