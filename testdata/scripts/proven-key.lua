-- Idiom: a value that equals an element of KEYS is that key.
--: keys queue:a queue:b
--: args queue:b job
local wanted = ARGV[1]
for _, key in ipairs(KEYS) do
  if key == wanted then
    return redis.call('LPUSH', wanted, ARGV[2])
  end
end
return 0
