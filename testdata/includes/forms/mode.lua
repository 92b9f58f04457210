-- What a literal argument turns off does not run in that call.
--- @include "parts/mode"
local job = KEYS[1]
drop(job, nil, false)
drop(job, KEYS[2], false)
return #count(job, 'all')
