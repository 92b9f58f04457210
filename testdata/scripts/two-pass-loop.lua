-- Idiom: the first pass checks, the second writes.
--: keys stock:a stock:b
--: args 2 3
--: before MSET stock:a 5 stock:b 5
for _, write in ipairs({false, true}) do
  for i, key in ipairs(KEYS) do
    local wanted = tonumber(ARGV[i])
    if write then
      redis.call('DECRBY', key, wanted)
    elseif not wanted or tonumber(redis.call('GET', key) or '0') < wanted then
      return 0
    end
  end
end
return 1
