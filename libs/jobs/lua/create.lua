-- Writes a new job's record and plan, unless there is a job of this id.
-- KEYS 1 job  2 plan  3 events  4 parent's job (the job's own key when it has none)
-- ARGV 1 plan (JSON)  2 most events  3 list of finished states ",a,b,"  4 first event's data (JSON)
--      5.. name and value of each field of the record
-- Returns 1 created, 0 there is one already, -1 the parent is unknown or finished.
-- Anybody may run it at any time; the first one wins.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if KEYS[4] ~= KEYS[1] then
  local parent = redis.call('HGET', KEYS[4], 'state')
  if not parent or string.find(ARGV[3], ',' .. parent .. ',', 1, true) then return -1 end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('SET', KEYS[2], ARGV[1])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[2], '*', 'type', 'state', 'data', ARGV[4])
return 1
