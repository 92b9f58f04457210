-- Idiom: a flag says that something was collected.
--: keys jobs
--: args a b
--: before SADD jobs a c
local known, any = {}, false
for i = 1, #ARGV do
  if redis.call('SISMEMBER', KEYS[1], ARGV[i]) == 1 then
    known[#known + 1] = ARGV[i]
    any = true
  end
end
if any then
  redis.call('SREM', KEYS[1], unpack(known))
end
return #known
