-- Loops whose end depends on a number that is stepped past, or on an inner loop that may not run.
--: keys k
--: args 4
local left = 4
while left ~= 0 do --~ endless-loop "steps of 2"
  redis.call('INCR', KEYS[1])
  left = left - 2
end
local again = 3
while again ~= 0 do
  redis.call('INCR', KEYS[1])
  again = again - 1
end
return left
