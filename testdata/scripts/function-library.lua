#!lua name=stock
--: piece
-- What a library's functions are given is told by the names of their own parameters.
local LIMIT = 10 * 10

local function read(key)
  return redis.call('GET', key)
end

local function register(name, callback, flags)
  redis.register_function{ function_name = name, callback = callback, flags = flags }
end

local function take(keys, args)
  local wanted = tonumber(args[1])
  if not wanted or LIMIT < wanted then
    return redis.error_reply('ERR wanted')
  end
  local left = tonumber(read(keys[1]) or 0)
  if left < wanted then
    return 0
  end
  return redis.call('DECRBY', keys[1], wanted)
end

local functions = {}

function functions.look(keys, args)
  if 10 < args[1] then --~ mismatched-comparison "`args[1]` is a string or nil"
    return 0
  end
  local copy = redis.call('GET', args[2]) --~ argument-key "GET reads `args[2]`, which is not in keys"
  return { copy, redis.call('GET', keys[0]), read(keys[1]) } --~ index-out-of-range "the first one is `keys[1]`" --~ non-string-argument
end

function functions.name(KEYS, ARGV)
  return redis.call('HGET', KEYS[1], ARGV[1])
end

redis.register_function('take', take)
register('look', functions.look, { 'no-writes' })
register('name', functions.name)
redis.log(redis.LOG_NOTICE, ('%s functions'):format(3))
