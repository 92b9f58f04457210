-- Idiom: a closure hands out the bounds of each chunk.
--: keys source
--: before SADD source a b c
local function chunks(length, size)
  local from = 1
  return function()
    if from <= length then
      local first, last = from, math.min(from + size - 1, length)
      from = last + 1
      return first, last
    end
  end
end
local members = redis.call('SMEMBERS', KEYS[1])
for first, last in chunks(#members, 5000) do
  redis.call('SREM', KEYS[1], unpack(members, first, last))
end
return #members
