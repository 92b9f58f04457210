-- The same part: what is wrong in it is told once.
--- @include "parts/store"
--- @include "parts/notThere" --~ unresolved-include "`parts/notThere`"

storeJob(KEYS[1], ARGV[1])
-- An include is open, so that this may be its.
return notThere(KEYS[1])
