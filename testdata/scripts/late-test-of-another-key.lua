-- Keys of the same base with different ends are different keys; of the same key the write may have changed what is read.
--: keys job
--: before SET job:b 1
redis.call('SET', KEYS[1] .. ':a', 1) --~ derived-key
if redis.call('GET', KEYS[1] .. ':b') == 'x' then --~ write-before-validation
  return redis.error_reply('ERR done')
end
if redis.call('GET', KEYS[1] .. ':a') == 'x' then
  return redis.error_reply('ERR lost') --~ error-after-write
end
return 1
