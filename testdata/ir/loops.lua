for i = 1, #KEYS do
  local key = KEYS[i]
  if key == '' then break end
  f(key)
end
for i = n, 1, -1 do f(i) end
for i = 1, n, step do return i end
for i, key in ipairs(KEYS) do
  for k in next, t do f(k, key) end
end
while a < b and c do
  local x
  x = 1
end
repeat
  local done = f()
  if done == nil then break end
until done
repeat until g()
