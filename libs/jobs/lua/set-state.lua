-- Moves a job to another state, and its child with it: a finished job finishes its child, a paused one pauses it, a
-- resumed one resumes it.
-- KEYS 1 job  2 events  3 ready stream  4 lease  5 child's job  6 child's events  7 child's ready stream
--      8.. every key of both that expires once the job is finished
-- ARGV 1 new state  2 now (ISO)  3 states it may come from ",a,b,"  4 finished states ",a,b,"  5 error (JSON) or ''
--      6 result (JSON) or ''  7 most events  8 ms until a finished job is forgotten  9 fencing token or ''
--      10 most ready entries
-- Returns {'ok', old state}, {'unknown'}, {'stale'} when the token is not the lease's, {'wrong', state}.
-- Anybody may run it at any time: the one whose old state still holds wins.
local to = ARGV[1]
local function among(list, state) return string.find(list, ',' .. state .. ',', 1, true) ~= nil end

local function move(job, events, ready, from, target, result)
  redis.call('HSET', job, 'state', target, 'updatedAt', ARGV[2])
  if target == 'paused' then
    redis.call('HSET', job, 'pausedFrom', from)
  else
    redis.call('HDEL', job, 'pausedFrom')
  end
  local data = '{"state":"' .. target .. '","from":"' .. from .. '"'
  if ARGV[5] ~= '' then
    redis.call('HSET', job, 'error', ARGV[5])
    data = data .. ',"error":' .. ARGV[5]
  end
  if result ~= '' then
    redis.call('HSET', job, 'result', result)
    data = data .. ',"result":' .. result
  end
  redis.call('XADD', events, 'MAXLEN', '~', ARGV[7], '*', 'type', 'state', 'data', data .. '}')
  if among(ARGV[4], target) then
    redis.call('HSET', job, 'finishedAt', ARGV[2])
    redis.call('XADD', ready, 'MAXLEN', '~', ARGV[10], '*', 'kind', 'end', 'state', target)
  end
end

local from = redis.call('HGET', KEYS[1], 'state')
if not from then return { 'unknown' } end
if ARGV[9] ~= '' and redis.call('HGET', KEYS[4], 'token') ~= ARGV[9] then return { 'stale' } end
if not among(ARGV[3], from) then return { 'wrong', from } end
move(KEYS[1], KEYS[2], KEYS[3], from, to, ARGV[6])

local child = redis.call('HGET', KEYS[5], 'state')
if child and not among(ARGV[4], child) then
  local target
  if among(ARGV[4], to) then
    target = to
  elseif to == 'paused' and child ~= 'paused' then
    target = 'paused'
  elseif from == 'paused' and child == 'paused' then
    target = redis.call('HGET', KEYS[5], 'pausedFrom') or 'running'
  end
  if target then move(KEYS[5], KEYS[6], KEYS[7], child, target, '') end
end

if among(ARGV[4], to) then
  for i = 8, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[8]) end
end
return { 'ok', from }
