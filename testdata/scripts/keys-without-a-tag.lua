-- The two keys of one product may lie on two nodes.
-- KEYS[1] inventory:sku1:stock
-- KEYS[2] inventory:sku1:tokens
--: keys inventory:sku1:stock inventory:sku1:tokens
redis.call('DECR', KEYS[1])
return redis.call('INCR', KEYS[2]) --~@ cross-slot-keys
