-- Idiom: an iterator that gives a list in chunks whose size the caller sets.
--: keys queue
--: args 100
--: before ZADD queue 1 a 2 b
local size = tonumber(ARGV[1]) or 1000
local function chunks(list)
  local i = 1
  return function()
    if i <= #list then
      local chunk = {}
      local last = math.min(i + size - 1, #list)
      for j = i, last do
        table.insert(chunk, list[j])
      end
      i = last + 1
      return chunk
    end
  end
end
local dead = redis.call('ZRANGEBYSCORE', KEYS[1], 0, 10)
if next(dead) then
  for chunk in chunks(dead) do
    redis.call('ZREM', KEYS[1], unpack(chunk))
  end
end
return #dead
