-- After redis.setresp(3) nothing is nil, and maps and floats are tables with one field.
redis.setresp(3)
local value = redis.call('GET', KEYS[1])
if value == nil then
  value = 'none'
end
local user = redis.call('HGETALL', KEYS[2])
local name = user.map.name
local age = user.age --~ named-field-of-array "`user.age` is always nil"
local score = redis.call('ZSCORE', KEYS[3], ARGV[1])
if score and score.double > 10 then
  return { name, age, value }
end
if score > 10 then --~ mismatched-comparison "`score > 10` raises"
  return name
end
redis.setresp(2)
local again = redis.call('GET', KEYS[1])
return again == nil and 1 or 2 --~ nil-check-on-reply
