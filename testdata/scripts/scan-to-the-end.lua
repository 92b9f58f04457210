-- The whole keyspace is walked while nobody else is served.
--: args user:*
--: before SET user:1 x
local cursor, count = '0', 0
repeat --~ scan-loop
  local reply = redis.call('SCAN', cursor, 'MATCH', ARGV[1])
  cursor = reply[1]
  count = count + #reply[2]
until cursor == '0'
return count
