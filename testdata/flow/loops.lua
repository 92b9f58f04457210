-- Loops that change a local: what holds in every round.
--: keys counter
--: before SET counter 3
local n, seen = 0, nil
repeat
  n = n + 1
  seen = redis.call('DECR', KEYS[1])
until seen <= 0
reveal(n) --= integer
reveal(seen) --= integer
local last
for i = 1, 3 do
  last = i
end
reveal(last) --= integer|nil
local text = ''
while #text < 3 do
  text = text .. 'x'
end
reveal(text) --= string
local found
for _, key in ipairs(KEYS) do
  if key == 'counter' then
    found = key
    break
  end
end
reveal(found) --= text|nil
return n
