-- Takes the lease of a job, or renews it for the same holder.
-- KEYS 1 lease  2 last fencing token
-- ARGV 1 holder  2 ms
-- Returns the fencing token, or nil while another one holds the lease. A token is never given to two holders.
-- Anybody may run it at any time.
local holder = redis.call('HGET', KEYS[1], 'holder')
if holder and holder ~= ARGV[1] then return false end
local token
if holder then
  token = tonumber(redis.call('HGET', KEYS[1], 'token'))
else
  token = redis.call('INCR', KEYS[2])
  redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'token', token)
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return token
