-- Idiom: a class with methods.
--: keys queue
--: args job
local Queue = {}
Queue.__index = Queue
function Queue.new(key)
  return setmetatable({key = key, pushed = 0}, Queue)
end
function Queue:push(value)
  self.pushed = self.pushed + 1
  return redis.call('RPUSH', self.key, value)
end
local queue = Queue.new(KEYS[1])
queue:push(ARGV[1])
return queue.pushed
