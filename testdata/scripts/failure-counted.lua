-- The write belongs to the refusal: it comes after the test.
--: keys secret failures
--: args guess
--: before SET secret guess
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('INCR', KEYS[2])
  return redis.error_reply('ERR wrong')
end
return 1
