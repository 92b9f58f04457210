-- A write that answers that it did nothing leaves nothing behind.
--: keys members left
--: args ann
--: before SADD members ann
if redis.call('SREM', KEYS[1], ARGV[1]) == 0 then
  return redis.error_reply('ERR no such member')
end
return redis.call('SADD', KEYS[2], ARGV[1])
