-- A helper refuses after the write; the finding stands in the helper.
--: keys list
--: args 1 2
--: select atomicity
local function check(text)
  if not tonumber(text) then --~ write-before-validation "`not tonumber(text)` is only tested after DEL has written"
    error('no number: ' .. tostring(text))
  end
end
redis.call('DEL', KEYS[1])
check(ARGV[1])
for i = 1, #ARGV do
  if not tonumber(ARGV[i]) then
    return redis.error_reply('ERR no number')
  end
  redis.call('RPUSH', KEYS[1], ARGV[i])
end
return 1
