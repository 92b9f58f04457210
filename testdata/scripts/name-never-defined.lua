-- One unknown name beside KEYS is a mistake, not another piece.
local left = redis.call('DECR', KEYS[1])
if left < minimum then --~ undefined-global
  return 0
end
return left
