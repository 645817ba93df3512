-- Frees all stored batches of a job.
-- KEYS 1 ready  2 sizes  3 buffer counters
-- ARGV 1 what payload keys start with
-- Returns the number of freed batches.
-- Anybody may run it at any time. Puts of a finished job are refused, so after its end it stays empty.
local members = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, member in ipairs(members) do
  local e, b = string.match(member, '^(%d+):(%d+)$')
  redis.call('UNLINK', string.format('%s%.0f:%.0f', ARGV[1], tonumber(e), tonumber(b)))
end
redis.call('DEL', KEYS[1], KEYS[2])
if #members > 0 then
  redis.call('HSET', KEYS[3], 'readyBytes', 0)
  redis.call('HINCRBY', KEYS[3], 'freed', #members)
end
return #members
