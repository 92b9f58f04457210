local function each(list, f)
  for i, x in ipairs(list) do f(x) end
end
local n = 0
each(KEYS, function(key) n = n + redis.call('DEL', key) end)
return n
