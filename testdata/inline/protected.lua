local ok, err = pcall(function(key)
  local n = 1
  n = n + key
  return redis.call('INCR', n)
end, KEYS[1])
return ok
