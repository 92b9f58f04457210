-- Idiom: loops over KEYS, by iterator, by number and by stride.
--: keys a b c d
--: args 1 2 3 4
for i, key in ipairs(KEYS) do
  reveal(i) --= integer
  reveal(key) --= string
  reveal(redis.call('INCRBY', key, ARGV[i])) --= integer, the reply of INCRBY
end
for i = 1, #KEYS do
  reveal(KEYS[i]) --= string|nil
  reveal(i) --= integer
end
for i = 1, #KEYS, 2 do
  reveal(KEYS[i + 1]) --= string|nil
end
for i = #KEYS, 1, -1 do
  reveal(i) --= integer
end
for name, value in pairs({a = 1}) do
  reveal(name) --= any
  reveal(value) --= any
end
local sum, i = 0, 1
while KEYS[i] do
  sum = sum + redis.call('GET', KEYS[i]) --~ unguarded-reply
  i = i + 1
end
reveal(sum) --= number
reveal(#KEYS) --= integer
return sum
