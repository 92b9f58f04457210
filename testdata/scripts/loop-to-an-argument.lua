-- The caller sets how long the server is busy.
--: select argument-bounded-loop
--: keys list
--: args 3
for i = 1, tonumber(ARGV[1]) do --~ argument-bounded-loop
  redis.call('RPUSH', KEYS[1], i)
end
return redis.call('LLEN', KEYS[1])
