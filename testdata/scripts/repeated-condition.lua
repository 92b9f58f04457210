-- Idiom: the same condition guards where a local is set and where it is used.
--: keys row
--: args '["a","b"]' some
--: args - all
local some, columns = ARGV[2] == 'some', nil
if some then
  columns = cjson.decode(ARGV[1])
end
if some then
  return redis.call('HMGET', KEYS[1], unpack(columns))
end
return redis.call('HLEN', KEYS[1])
