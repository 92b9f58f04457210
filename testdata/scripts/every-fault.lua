#!lua flags=no-writes --~ write-with-no-writes
--: piece
--: strict
-- What a reader of such scripts should see at once: seventeen faults of Redis and four of Lua, each at its place.
local order = redis.call('GET', KEYS[1])
if order == nil then --~ nil-check-on-reply
  return redis.error_reply('ERR no order')
end
local owner = redis.call('HGET', ARGV[1], 'owner') --~ argument-key
redis.call('HINCRBY', KEYS[2], 'orders', 1)
if ARGV[2] == '' then --~ write-before-validation
  return redis.error_reply('ERR the order has no id')
end
if ARGV[3] > 10 then --~ mismatched-comparison
  redis.call('SADD', KEYS[3], order) --~ partial-write
end
local all = redis.call('KEYS', 'order:*') --~ keys-command --~ unused-reply --~ unused-local
local cursor = '0'
repeat --~ endless-loop --~ scan-loop
  local step = redis.call('SCAN', cursor)
  cursor = step[1]
until cursor == 0
redis.pcall('INCR', KEYS[2]) --~ unchecked-pcall
redis.call('RENAME', 'order:{1}', 'order:{2}') --~ cross-slot-keys --~ literal-key --~ literal-key
redis.call('HSETT', KEYS[2], 'owner', owner) --~ unknown-command --~ unguarded-reply
redis.call('HSET', KEYS[2], 'owner') --~ wrong-arity
redis.call('SUBSCRIBE', 'orders') --~ forbidden-command
redis.call('DEL', KEYS[0]) --~ index-out-of-range --~ non-string-argument
redis.call('DEL', unpack(redis.call('SMEMBERS', KEYS[3]))) --~ key-from-reply --~ unguarded-unpack --~ unpack-limit --~ unbounded-read
redis.call('HSET', KEYS[2], 'at', os.time()) --~ missing-function
total = redis.call('SCARD', KEYS[3]) --~ global-assignment
local text = cjsn.encode({ 1 }) --~ undefined-global --~ unused-local
redis.cal('PING') --~ missing-function
local n = redis.call('SCARD', KEYS[3])
return n / 3 --~ truncated-float
