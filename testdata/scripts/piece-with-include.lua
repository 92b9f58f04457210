-- Idiom: a piece of a script; the host puts the helper in front.
--: piece
-- $include(get_item.lua)
local item = get_item(KEYS[1])
if not item then
  return 0
end
return redis.call('HSET', item, 'seen', 1)
