-- Idiom: `select` takes the arguments from some place on.
--: keys list
local function rest(...)
  return select(2, ...)
end
local function last(...)
  return (select(select('#', ...), ...))
end
reveal(rest('a', 'b')) --= text
reveal((rest('a', 5))) --= integer
reveal(last('a', 'b')) --= any
reveal(select('#')) --= integer
reveal((select(2, unpack({'a', 'b'})))) --= any
return 1
