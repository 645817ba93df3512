-- Frees named batches ahead of the cursor, which then count as not made.
-- KEYS 1 ready  2 sizes  3 buffer counters  4.. payloads
-- ARGV members of ready, one a payload
-- Returns the number of freed batches.
-- Anybody may run it at any time.
local freed, bytes = 0, 0
for i, member in ipairs(ARGV) do
  redis.call('UNLINK', KEYS[3 + i])
  if redis.call('ZREM', KEYS[1], member) == 1 then
    freed = freed + 1
    bytes = bytes + tonumber(redis.call('HGET', KEYS[2], member) or 0)
    redis.call('HDEL', KEYS[2], member)
  end
end
if freed > 0 then
  redis.call('HINCRBY', KEYS[3], 'readyBytes', -bytes)
  redis.call('HINCRBY', KEYS[3], 'freed', freed)
end
return freed
