-- Tables that the script fills itself.
--: keys a
--: args x y
local list, map = {}, {}
for i = 1, #ARGV do
  list[#list + 1] = ARGV[i]
  map[ARGV[i]] = i
end
reveal(list) --= table
reveal(list[1]) --= string|nil
reveal(map[ARGV[1]]) --= integer|nil
reveal(map.z) --= integer|nil
reveal(#list) --= integer
reveal(next(map)) --= any
table.insert(list, 'z')
reveal(list[1]) --= string|nil
reveal(table.remove(list)) --= string|nil
table.sort(list)
reveal(table.concat(list, ',')) --= string
local nested = {opts = {limit = 5, names = {'a'}}}
reveal(nested.opts.limit) --= integer
reveal(nested.opts.names[1]) --= text
nested.opts.limit = 'many'
reveal(nested.opts.limit) --= text
local alias = nested.opts
alias.limit = true
reveal(nested.opts.limit) --= true
reveal({}) --= table
return 1
