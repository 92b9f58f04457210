-- Idiom: names of keys are templates in a table, filled later; a scheme is one information.
--: keys app
--: args 17
local names = {job = '%s:job:%s', log = '%s:log'}
local function key(name, ...)
  return names[name]:format(KEYS[1], ...)
end
redis.call('HSET', key('job', ARGV[1]), 'state', 'new') --~ derived-key
redis.call('RPUSH', key('log'), ARGV[1])
return 1
