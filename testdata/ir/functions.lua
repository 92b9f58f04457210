local function add(a, b) return a + b, add end
local count = 0
local bump = function(...)
  count = count + select('#', ...)
  return f(...)
end
function M.f() end
function M.sub:method(a) return self, a end
function global() return end
local t = { on = function() end }
