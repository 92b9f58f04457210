-- Idiom: a closure fills a new table for each chunk.
--: keys source seen
--: args 1000
--: before SADD source a b c
local size = tonumber(ARGV[1])
if not size then
  return redis.error_reply('ERR the size is no number')
end
local function chunks(values)
  local from = 1
  return function()
    if from <= #values then
      local chunk = {}
      local last = math.min(from + size - 1, #values)
      for i = from, last do
        table.insert(chunk, values[i])
      end
      from = last + 1
      return chunk
    end
  end
end
local members = redis.call('SMEMBERS', KEYS[1])
if next(members) then
  for chunk in chunks(members) do
    redis.call('SADD', KEYS[2], unpack(chunk))
  end
end
return #members
