-- Idiom: the caller names the command.
--: keys text
--: args SETRANGE 0 x
return redis.call(ARGV[1], KEYS[1], ARGV[2], ARGV[3])
