if not KEYS[1] then
  error('no key')
end
local x = tonumber(ARGV[1]) or error('no number')
do
  local error = error
  if x then return error { err = x } end
end
do
  local error = print
  error(x)
end
error(x)
f()
