-- Idiom: numbers from replies and arguments, with defaults inside the conversion.
--: keys used
--: args 7 2
local used = tonumber(redis.call('GET', KEYS[1]) or 0)
reveal(used) --= number|nil
local limit = tonumber(ARGV[1])
if not limit then
  return 0
end
reveal(limit + 1) --= number
reveal(limit / 2) --= number
reveal(math.floor(limit / 2)) --= integer
reveal(math.min(limit, 100)) --= number
reveal(ARGV[2] * 1) --= number
reveal(-limit) --= number
reveal(7 / 2) --= fraction
reveal(6 / 2) --= integer
reveal(2 ^ 10) --= integer
reveal(7 % 2) --= integer
reveal(tonumber('12')) --= integer
reveal(tonumber('x')) --= nil
reveal(limit < 3) --= boolean
reveal(limit == 3) --= boolean
local time = redis.call('TIME')
reveal(time[1]) --= any
reveal(tonumber(time[1])) --= any
return limit
