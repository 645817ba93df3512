-- Notes how far batches were released, if the caller still holds the lease.
-- KEYS 1 lease  2 released
-- ARGV 1 fencing token  2 epoch  3 batch (first one that was not released)
-- Returns 1 done, 0 the lease is not the caller's.
-- Anybody may run it at any time; only the holder of the lease changes anything.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'epoch', ARGV[2], 'batch', ARGV[3])
return 1
