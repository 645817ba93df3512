-- Asks for a batch. When it is not there, notes the wish and wakes the coordinator.
-- KEYS 1 job  2 cursor  3 ready  4 ready stream
-- ARGV 1 epoch  2 batch  3 member of ready  4 now (ms)  5 wake channel  6 job's id  7 finished states ",a,b,"
-- Returns {'ready'}, {'waiting', last id of the ready stream}, {'ended', state}, {'unknown'}.
-- The id is from the same moment as the answer, so that waiting for entries after it misses none.
-- Anybody may run it at any time; of several consumers the last wish stands.
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return { 'unknown' } end
if redis.call('ZSCORE', KEYS[3], ARGV[3]) then
  redis.call('HDEL', KEYS[2], 'wantedEpoch', 'wantedBatch', 'wantedAt')
  return { 'ready' }
end
if string.find(ARGV[7], ',' .. state .. ',', 1, true) then return { 'ended', state } end
redis.call('HSET', KEYS[2], 'wantedEpoch', ARGV[1], 'wantedBatch', ARGV[2], 'wantedAt', ARGV[4])
redis.call('PUBLISH', ARGV[5], ARGV[6])
local last = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)
return { 'waiting', last[1] and last[1][1] or '0-0' }
