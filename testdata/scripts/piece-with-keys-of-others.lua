--: piece
-- The lines before, which name the keys, may have refused what is not there.
local limit = tonumber(redis.call('hget', settings_key, 'limit'))
local clients = redis.call('zrangebyscore', clients_key, now() - limit, '+inf', 'LIMIT', 0, 10)
return redis.call('hmget', queued_key, unpack(clients))
