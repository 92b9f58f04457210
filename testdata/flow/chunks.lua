-- Idiom: `unpack` in chunks.
--: keys source target
--: before RPUSH source a b c
local all = redis.call('LRANGE', KEYS[1], 0, -1)
reveal(all) --= table, the reply of LRANGE
reveal(#all) --= integer
reveal(all[1]) --= string|nil
for from = 1, #all, 1000 do
  local to = math.min(from + 999, #all)
  reveal(to) --= integer
  reveal(unpack(all, from, to)) --= string|nil
  reveal(redis.call('RPUSH', KEYS[2], unpack(all, from, to))) --= integer, the reply of RPUSH
end
local buffer = {}
for _, value in ipairs(all) do
  buffer[#buffer + 1] = value
  if #buffer == 2 then
    redis.call('RPUSH', KEYS[2], unpack(buffer))
    buffer = {}
  end
end
reveal(buffer) --= table
reveal(buffer[1]) --= string|nil
return #all
