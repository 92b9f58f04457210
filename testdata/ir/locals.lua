local a, b = 1
local c, d = f()
local e, g = f(), 'x'
local h = (f())
local a = a
a, b = b, a
t.x, t[a], c = f(...)
