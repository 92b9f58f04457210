-- Idiom: the whole command is put together in a table.
--: keys stream
--: args a 1 b 2
local command = {'XADD', KEYS[1], 'MAXLEN', '~', 1000, '*'}
for i = 1, #ARGV do
  command[#command + 1] = ARGV[i]
end
redis.call(unpack(command))
return redis.call('XLEN', KEYS[1])
