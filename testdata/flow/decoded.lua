-- Idiom: one argument carries all others, as JSON or MessagePack; of what is inside nothing is known.
--: keys job
--: args '{"id":7,"tags":["a"],"none":null}' "\x82\xa2id\x07\xa4name\xa1x"
local job = cjson.decode(ARGV[1])
reveal(job) --= any
reveal(job.id) --= any
reveal(job.none) --= any
reveal(job.missing) --= any
reveal(job.tags[1]) --= any
local packed = cmsgpack.unpack(ARGV[2])
reveal(packed) --= any
reveal(packed.name) --= any
reveal(cjson.encode(job)) --= string
reveal(cmsgpack.pack(packed)) --= string
reveal(cjson.null) --= null
return 1
