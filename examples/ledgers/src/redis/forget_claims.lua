-- ARGV: a time, and the same as a score. Forgets up to 1000 claims whose last second is before it.
local forgotten = 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1] .. ':claims', '-inf', ARGV[2], 'LIMIT', 0, 1000)) do
  local claim = KEYS[1] .. ':claim:' .. name
  local last = redis.call('HGET', claim, 'last')
  -- A score is a double; what counts is the text.
  if last == '' or (last and not at_most(ARGV[1], last)) then
    redis.call('DEL', claim)
    redis.call('ZREM', KEYS[1] .. ':claims', name)
    forgotten = forgotten + 1
  end
end
return forgotten
