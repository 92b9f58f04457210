-- Idiom: closures that keep state.
--: keys list
local function counter()
  local n = 0
  return function()
    n = n + 1
    return n
  end
end
local next_id = counter()
reveal(next_id) --= function
reveal(next_id()) --= any
reveal(next_id()) --= any
local total = 0
local function add(by)
  total = total + by
end
add(2)
add(3)
reveal(total) --= integer
local text
local function remember()
  text = 'seen'
end
remember()
reveal(text) --= text
return total
