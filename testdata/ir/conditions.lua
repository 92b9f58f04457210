if a then f() end
if not (a and b) or c == 1 then f() elseif d then g() else h() end
local n = redis.call('GET', KEYS[1]) or 0
local m = a and b or (c or d)
local o = not a and not b
