-- ARGV: name, the last second or '', now, and the last second as a score.
local claim = KEYS[1] .. ':claim:' .. ARGV[1]
local last, is_done = unpack(redis.call('HMGET', claim, 'last', 'is_done'))
if last and last ~= '' and at_most(ARGV[3], last) then
  return { is_done == '1' and 'done' or 'in progress' }
end
redis.call('INCR', KEYS[1] .. ':turn')
-- Read as text, which is exact beyond 2^53.
local turn = redis.call('GET', KEYS[1] .. ':turn')
redis.call('HSET', claim, 'last', ARGV[2], 'turn', turn, 'is_done', '0')
redis.call('ZADD', KEYS[1] .. ':claims', ARGV[4], ARGV[1])
return { 'first', turn }
