#!lua name=early
--: piece
local floor = math.floor --~ call-at-load "`math`"
local half = function(keys, args)
  redis.replicate_commands() --~ missing-function "`redis` has no `replicate_commands`"
  return KEYS[1], floor(args[1] / 2) --~ undefined-global "no global is called `KEYS`"
end
server.register_function('half', half)
redis.register_function('half_too', half)
local nothing = os.clock --~ call-at-load "`os`"
