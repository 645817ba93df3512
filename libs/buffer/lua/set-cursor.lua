-- Moves the cursor: frees what is behind it, wakes the coordinator. Moved back, it frees nothing: what is still there
-- stays, what is gone must be released again.
-- KEYS 1 job  2 cursor  3 ready  4 sizes  5 buffer counters
-- ARGV 1 epoch  2 batch  3 member of ready for them  4 what payload keys start with  5 wake channel  6 job's id
-- Returns {batches freed, bytes freed}, or nil when the job is unknown.
-- Anybody may run it at any time. Cost: O(log n) and the number of freed batches.
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local epoch, batch = tonumber(ARGV[1]), tonumber(ARGV[2])
local at = redis.call('HMGET', KEYS[2], 'epoch', 'batch', 'wantedEpoch', 'wantedBatch')
local oldEpoch, oldBatch = tonumber(at[1] or 0), tonumber(at[2] or 0)
local isBack = epoch < oldEpoch or (epoch == oldEpoch and batch < oldBatch)
redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'batch', ARGV[2])
if at[3] then
  local wantedEpoch, wantedBatch = tonumber(at[3]), tonumber(at[4])
  if wantedEpoch < epoch or (wantedEpoch == epoch and wantedBatch < batch) then
    redis.call('HDEL', KEYS[2], 'wantedEpoch', 'wantedBatch', 'wantedAt')
  end
end

local members = redis.call('ZRANGEBYLEX', KEYS[3], '-', '(' .. ARGV[3])
local bytes = 0
for _, member in ipairs(members) do
  local e, b = string.match(member, '^(%d+):(%d+)$')
  redis.call('UNLINK', string.format('%s%.0f:%.0f', ARGV[4], tonumber(e), tonumber(b)))
  bytes = bytes + tonumber(redis.call('HGET', KEYS[4], member) or 0)
  redis.call('HDEL', KEYS[4], member)
end
if #members > 0 then
  redis.call('ZREMRANGEBYLEX', KEYS[3], '-', '(' .. ARGV[3])
  redis.call('HINCRBY', KEYS[5], 'readyBytes', -bytes)
  redis.call('HINCRBY', KEYS[5], 'freed', #members)
end
if isBack then redis.call('HINCRBY', KEYS[5], 'rewinds', 1) end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return { #members, bytes }
