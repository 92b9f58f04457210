-- Two locals with the same alternatives are two values: a test of one says nothing of the other.
--: keys a
--: args a c
--: before SET a x
local x = redis.call('GET', KEYS[1])
local a, b
if ARGV[1] == 'a' then a = x end
if ARGV[2] == 'b' then b = x end
reveal(a) --= string|false|nil, the reply of GET or nil
local copy = a
if a then
  reveal(a) --= string, the reply of GET or nil
  reveal(copy) --= string, the reply of GET or nil
  reveal(b) --= string|false|nil, the reply of GET or nil
end
-- Nor does a test of the round before.
local last
for i = 1, 2 do
  local now
  if ARGV[i] == 'a' then now = x end
  if last then
    reveal(now) --= string|false|nil, the reply of GET or nil
  end
  if now then
    reveal(now) --= string, the reply of GET or nil
  end
  last = now
end
-- A field is one value until the table is written.
local t = {}
if ARGV[1] == 'a' then t.x = x end
if t.x then
  reveal(t.x) --= string, the reply of GET or nil
  if ARGV[2] == 'c' then t.x = nil else t.x = x end
  reveal(t.x) --= string|false|nil, the reply of GET or nil
end
return 1
