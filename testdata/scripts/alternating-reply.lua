-- Idiom: members and scores alternate; a first member has a score.
--: keys delayed
--: before ZADD delayed 7 a
local z = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if z[1] then
  return z[2] + 5
end
return 0
