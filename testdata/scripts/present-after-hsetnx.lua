-- Idiom: HSETNX makes sure of the field, so the read after it finds a value.
--: keys account
redis.call('HSETNX', KEYS[1], 'n', 0)
return redis.call('HGET', KEYS[1], 'n') + 1
