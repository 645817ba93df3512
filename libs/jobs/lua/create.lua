-- Writes a new job's record and plan, and its child's beside it, unless there is a job of this id.
-- KEYS 1 job  2 plan  3 events  4, 5, 6 the child's, when it has one
-- ARGV 1 plan (JSON)  2 child's plan (JSON) or ''  3 most events  4 first event's data (JSON)
--      5 how many texts follow for the job  6.. name and value of each field of its record, then of the child's
-- Returns 1 created, 0 there is one already.
-- Anybody may run it at any time; the first one wins. A job never is there without its child.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local function write(first, plan, from, to)
  redis.call('HSET', KEYS[first], unpack(ARGV, from, to))
  redis.call('SET', KEYS[first + 1], plan)
  redis.call('XADD', KEYS[first + 2], 'MAXLEN', '~', ARGV[3], '*', 'type', 'state', 'data', ARGV[4])
end
local last = 5 + tonumber(ARGV[5])
write(1, ARGV[1], 6, last)
if KEYS[4] then write(4, ARGV[2], last + 1, #ARGV) end
return 1
