-- A cursor that only the walk of a page sets: an empty page is asked for again and again.
--: keys k
local cursor = '0'
repeat --~ endless-loop "only changes inside the inner loop" --~ scan-loop
  local page = redis.call('HSCAN', KEYS[1], cursor)
  for i = 1, #page[2] do
    cursor = page[1]
    redis.call('HDEL', KEYS[1], page[2][i])
  end
until cursor == '0'
return 1
