-- Makes a payload that was just written a batch of the buffer: the first writer wins.
-- KEYS 1 job  2 cursor  3 ready  4 sizes  5 buffer counters  6 ready stream  7 payload
-- ARGV 1 epoch  2 batch  3 member of ready  4 finished states ",a,b,"  5 most ready entries
-- Returns 'stored'; 'duplicate' there is one already; 'behind' the cursor is past it; 'refused' the job is unknown or
--         finished; 'missing' the payload is not there (any more): write it again.
-- Anybody may run it at any time.
local epoch, batch = tonumber(ARGV[1]), tonumber(ARGV[2])
local isReady = redis.call('ZSCORE', KEYS[3], ARGV[3])

local function turnAway(counter)
  if not isReady then redis.call('UNLINK', KEYS[7]) end
  redis.call('HINCRBY', KEYS[5], counter, 1)
  return counter
end

local state = redis.call('HGET', KEYS[1], 'state')
if not state then
  redis.call('UNLINK', KEYS[7])
  return 'refused'
end
if string.find(ARGV[4], ',' .. state .. ',', 1, true) then return turnAway('refused') end

local at = redis.call('HMGET', KEYS[2], 'epoch', 'batch')
local atEpoch, atBatch = tonumber(at[1] or 0), tonumber(at[2] or 0)
if epoch < atEpoch or (epoch == atEpoch and batch < atBatch) then return turnAway('behind') end

local bytes = redis.call('STRLEN', KEYS[7])
if bytes == 0 then return 'missing' end
if isReady then
  if redis.call('PTTL', KEYS[7]) == -1 then
    redis.call('HINCRBY', KEYS[5], 'duplicates', 1)
    return 'duplicate'
  end
  -- The stored payload was lost (deleted by hand, say) and has just been written anew.
  redis.call('HINCRBY', KEYS[5], 'readyBytes', -tonumber(redis.call('HGET', KEYS[4], ARGV[3]) or 0))
end
redis.call('PERSIST', KEYS[7])
redis.call('ZADD', KEYS[3], 0, ARGV[3])
redis.call('HSET', KEYS[4], ARGV[3], bytes)
redis.call('HINCRBY', KEYS[5], 'readyBytes', bytes)
redis.call('HINCRBY', KEYS[5], 'puts', 1)
redis.call('HINCRBY', KEYS[5], 'putBytes', bytes)
redis.call('XADD', KEYS[6], 'MAXLEN', '~', ARGV[5], '*', 'kind', 'batch', 'epoch', ARGV[1], 'batch', ARGV[2])
return 'stored'
