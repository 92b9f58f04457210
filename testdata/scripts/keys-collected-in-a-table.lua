-- Names that a loop collects are told of where they are used; elements of KEYS are keys still.
--: keys a b
--: args x y
local others = {}
for i = 1, #ARGV do
  others[#others + 1] = ARGV[i]
end
local own = {}
for _, key in ipairs(KEYS) do
  table.insert(own, key)
end
if #own > 0 and #own < 100 then
  redis.call('DEL', unpack(own))
end
if #others > 0 and #others < 100 then
  redis.call('DEL', unpack(others)) --~ argument-key "DEL writes `unpack(others)`, which is not in KEYS"
end
return 1
