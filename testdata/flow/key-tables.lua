-- Idiom: keys by name and by number.
--: keys wait active
--: before RPUSH wait job
local keys = {wait = KEYS[1], active = KEYS[2]}
local list = {KEYS[1], KEYS[2]}
reveal(keys.wait) --= string|nil, KEYS[1]
reveal(keys['active']) --= string|nil, KEYS[2]
reveal(list[2]) --= string|nil, KEYS[2]
reveal(list[3]) --= nil
reveal(keys.none) --= nil
reveal(keys) --= table
list[#list + 1] = 'third'
reveal(#list) --= integer
local job = redis.call('RPOPLPUSH', keys.wait, keys.active)
reveal(job) --= string|false, the reply of RPOPLPUSH
return job
