-- Idiom: the table is filled from ARGV, whose length is tested.
--: keys set
--: args first a b
--: args first
local members = {}
for i = 2, #ARGV do
  members[#members + 1] = ARGV[i]
end
if #ARGV > 1 then
  redis.call('SADD', KEYS[1], unpack(members))
end
return #members
