-- ARGV: id, 'settle' or 'release'.
local id = ARGV[1]
local reservation = base .. ':reservation:' .. id
local demand = redis.call('GET', reservation)
if not demand or demand == 'ended' then
  return 0
end

-- As `demand_text` writes it: the number of lines, grant, amount, and of each line block, max, `forget_after`.
local lines, grant, amount = tonumber(demand:sub(1, 20)), demand:sub(21, 52), demand:sub(53, 72)
local account = account_of(grant)
local remaining = {}
if ARGV[2] == 'release' then
  for i = 0, lines - 1 do
    local block = demand:sub(73 + 72 * i, 104 + 72 * i)
    local counted = redis.call('HGET', account, block)
    if counted then
      remaining[block] = difference(counted:sub(1, 20), amount) .. counted:sub(21)
    end
  end
end

-- Nothing fails from here on: a script is not undone.
redis.call('SET', reservation, 'ended')
redis.call('RPUSH', base .. ':ended', id)
redis.call('HINCRBY', account, 'held', -1)
for block, counted in pairs(remaining) do
  redis.call('HSET', account, block, counted)
end
-- A total of 0 is what there is without one.
each_total(grant, function(block, total)
  if total == zero then
    forget_block(grant, block)
  end
end)
forget_if_empty(grant)
return 1
