-- Lists bad records of a job, each once: as the earliest batch met it, whichever batch was made first.
-- KEYS: ledger, progress. ARGV: most lines, then a line's field, epoch, batch, records lost with it and its JSON each.
-- Returns {lines, records lost}.
local most = tonumber(ARGV[1])
for at = 2, #ARGV, 5 do
  local field, epoch, batch, lost = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local held = redis.call('HGET', KEYS[1], field)
  if not held then
    if redis.call('HLEN', KEYS[1]) < most then
      redis.call('HSET', KEYS[1], field, ARGV[at + 4])
      if lost > 0 then redis.call('HINCRBY', KEYS[2], 'lostRecords', lost) end
    end
  else
    local first = cjson.decode(held)
    if epoch < first.epoch or (epoch == first.epoch and batch < first.batch) then
      redis.call('HSET', KEYS[1], field, ARGV[at + 4])
    end
  end
end
return { redis.call('HLEN', KEYS[1]), tonumber(redis.call('HGET', KEYS[2], 'lostRecords') or '0') }
