-- Prolongs a lease, or ends it, if it is still the caller's.
-- KEYS 1 lease
-- ARGV 1 fencing token  2 ms; 0 ends it
-- Returns 1 done, 0 the lease is not the caller's.
-- Anybody may run it at any time.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
