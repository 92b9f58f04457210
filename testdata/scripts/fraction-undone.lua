-- A quotient that is multiplied back is whole: none of these is a fraction.
--: keys a b c
--: args 60
local window = tonumber(ARGV[1]) or 60
redis.call('PEXPIRE', KEYS[1], window / 2 * 1000)
redis.call('PEXPIRE', KEYS[2], window * 1000 / 100)
return redis.call('PEXPIRE', KEYS[3], 2 * (window / 4 * 12))
