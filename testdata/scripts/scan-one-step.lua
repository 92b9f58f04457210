-- One step of SCAN; the caller goes on with the cursor.
--: args 0
local reply = redis.call('SCAN', ARGV[1], 'COUNT', 100)
return {reply[1], #reply[2]}
