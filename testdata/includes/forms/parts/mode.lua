local function drop(key, parent, last)
  if parent then
    redis.call('SREM', parent, key)
  elseif not last then
    redis.call('DEL', key)
  else
    redis.call('DEL', parent)
  end
  return redis.call('UNLINKED', key) --~ unknown-command
end

local function count(key, mode)
  if mode == 'one' then
    return redis.call('HLEN', mode, key)
  end
  return redis.call('HKEYS', key)
end
