-- Statements of another file, with the names of this one.
local key = KEYS[1]
local limit = tonumber(ARGV[1]) or 10
-- $include(parts/count.lua)
if count == limit then
  return redis.call('TAKE', key) --~ unknown-command
end
return count
