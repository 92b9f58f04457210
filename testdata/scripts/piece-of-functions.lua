-- Idiom: a file of functions that other scripts include; what they are called with is not known.
--: piece
local function remove(key, member)
  if redis.call('SREM', key, member) == 1 then
    redis.call('DECR', key .. ':count')
  end
end
local function move(from, to)
  local member = redis.call('SPOP', from)
  if member then
    redis.call('SADD', to, member)
  end
  return member
end
