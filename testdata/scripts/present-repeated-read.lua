-- Idiom: the first of two reads was tested.
--: keys quota
--: before SET quota 9
if redis.call('GET', KEYS[1]) then
  return redis.call('GET', KEYS[1]) - 1
end
return 0
