--: args '{"price":null}' '{"a":null}'
-- What is compared with cjson.null, or asked for its type, is no surprise; neither is what is cleaned in a loop.
local order = cjson.decode(ARGV[1])
local extra = cjson.decode(ARGV[2])
for key, value in pairs(extra) do
  if value == cjson.null then
    extra[key] = nil
  end
end
local price = 0
if order.price ~= cjson.null and order.price then
  price = order.price * 2
end
if type(order.name) == 'string' then
  redis.call('SET', KEYS[1], order.name)
end
if extra.discount then
  price = price - extra.discount
end
return tostring(price)
