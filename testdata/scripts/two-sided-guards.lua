-- Idiom: guards against every way to be absent.
--: keys name expiry
local name = redis.call('GET', KEYS[1])
if name == nil or name == false then
  name = 'nobody'
end
local expiry = redis.call('GET', KEYS[2])
if not expiry or expiry == '' or expiry == 0 then
  expiry = '60'
end
return name .. ':' .. expiry
