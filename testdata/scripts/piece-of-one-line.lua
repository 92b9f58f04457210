--: piece
-- What a program puts behind the lines that name `settings_key`.
return not (redis.call('exists', settings_key) == 1)
