-- Idiom: a class with methods, by metatable.
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
function Queue:size()
  return redis.call('LLEN', self.key)
end
local queue = Queue.new(KEYS[1])
reveal(queue) --= table
reveal(queue.key) --= string|nil, KEYS[1]
reveal(queue:push(ARGV[1])) --= any
reveal(queue:size()) --= any
reveal(queue.pushed) --= any
return 1
