--- @include "parts/take"

local job = takeJob(KEYS[1])
if job then
  return job
end
return undefinedHere --~ undefined-global
