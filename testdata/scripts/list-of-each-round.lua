-- Every round sets an element, an early end leaves no hole, and what is set before the loop fills the rest.
local all, some, first = {}, {}, {}
for i = 1, #KEYS do
  some[i] = false
end
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value then
    all[i] = value
    some[i] = value
  elseif ARGV[1] == 'stop' then
    break
  else
    all[i] = 0
  end
  if i <= 3 then
    first[i] = key
  end
end
return { all, some, first }
