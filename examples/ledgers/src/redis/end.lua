-- ARGV: name, turn, 'finish' or 'abandon'.
local claim = KEYS[1] .. ':claim:' .. ARGV[1]
local turn, is_done = unpack(redis.call('HMGET', claim, 'turn', 'is_done'))
if turn ~= ARGV[2] or is_done ~= '0' then
  return 0
end
if ARGV[3] == 'finish' then
  redis.call('HSET', claim, 'is_done', '1')
else
  redis.call('DEL', claim)
  redis.call('ZREM', KEYS[1] .. ':claims', ARGV[1])
end
return 1
