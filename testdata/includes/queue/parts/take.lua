-- evalint: allow-file(unknown-command) this file alone
local function takeJob(key)
  redis.call('TAKE', key)
  return redis.call('LPOP', key)
end
