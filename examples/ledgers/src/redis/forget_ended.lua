-- ARGV: now, and before when what has ended must have been seen to be forgotten. Up to 1000 of each; gives how many were seen
-- and how many are gone.
local seen = redis.call('LPOP', KEYS[1] .. ':ended', 1000) or {}
for _, id in ipairs(seen) do
  redis.call('ZADD', KEYS[1] .. ':ended-seen', ARGV[1], id)
end
local old = redis.call('ZRANGEBYSCORE', KEYS[1] .. ':ended-seen', '-inf', ARGV[2], 'LIMIT', 0, 1000)
for _, id in ipairs(old) do
  redis.call('DEL', KEYS[1] .. ':reservation:' .. id)
  redis.call('ZREM', KEYS[1] .. ':ended-seen', id)
end
return { #seen, #old }
