-- LPUSH fails if the list's key holds something else, and the SET stays.
--: select partial-write
--: keys state queue
redis.call('SET', KEYS[1], 'queued')
return redis.call('LPUSH', KEYS[2], 'job') --~ partial-write
