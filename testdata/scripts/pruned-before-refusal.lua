-- What has expired may go, whether the call is refused or not.
--: keys window
--: args 100 5
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
  return redis.error_reply('ERR too many')
end
return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
