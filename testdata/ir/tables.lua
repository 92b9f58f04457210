local t = { 1, 'two', x = 3, ['y'] = 4; f(), (f()), f() }
local u = { ... }
t[#t + 1] = -t.x
f { 1 }
f 'text'
local s = ('%s'):rep(3):upper 'x'
