--: piece
--: strict
-- What the pieces behind it read.
local settings_key = KEYS[1]
local now = tonumber(ARGV[1])
