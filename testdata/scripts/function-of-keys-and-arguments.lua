-- Idiom: the script is one function of its keys and arguments.
--: keys counter
--: args 5
local function main(KEYS, ARGV)
  local by = tonumber(ARGV[1])
  if not by then
    return redis.error_reply('ERR the increment is no number')
  end
  return redis.call('INCRBY', KEYS[1], by)
end
return main(KEYS, ARGV)
