-- Strikes out a stored batch whose payload is gone (deleted by hand, say), so that it is released again.
-- KEYS 1 ready  2 sizes  3 buffer counters  4 payload
-- ARGV 1 member of ready
-- Returns 1 struck out, 0 the payload is there, or the batch was not stored.
-- Anybody may run it at any time.
if redis.call('EXISTS', KEYS[4]) == 1 or redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[3], 'readyBytes', -tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0))
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'lost', 1)
return 1
