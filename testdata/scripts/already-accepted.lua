-- Idiom: a command before the first write took the value, so the later one can't refuse it.
--: keys delayed ready
--: args 1700000000 job:1
--: before ZADD delayed 5 job:0
local call = redis.call
local due = call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1], 'LIMIT', 0, 100)
for _, job in ipairs(due) do
  call('LPUSH', KEYS[2], job)
end
call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1])
return #due
