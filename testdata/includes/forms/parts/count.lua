local count = redis.call('INCR', key)
if limit < count then
  count = redis.call('DECR', key)
end
