-- ARGV: id, the demand as one text, grant, amount, up to which end totals may be forgotten, most blocks and most held under a
-- grant, then block, max and `forget_after` of each line.
local id, demand, grant, amount, forget_to = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local most_blocks, most_held = tonumber(ARGV[6]), tonumber(ARGV[7])
local reservation = base .. ':reservation:' .. id
local account = account_of(grant)

local before = redis.call('GET', reservation)
if before then
  return before == demand and 'reserved' or 'taken'
end

-- Every limit is checked before the first total changes: a script is not undone.
for i = 8, #ARGV, 3 do
  local counted = redis.call('HGET', account, ARGV[i])
  if not at_most(sum(counted and counted:sub(1, 20) or zero, amount), ARGV[i + 1]) then
    return 'exceeded'
  end
end

local function is_full()
  local blocks = redis.call('HLEN', account) - redis.call('HEXISTS', account, 'held')
  for i = 8, #ARGV, 3 do
    blocks = blocks + 1 - redis.call('HEXISTS', account, ARGV[i])
  end
  return held_under(grant) >= most_held or blocks > most_blocks
end
if is_full() then
  forget_totals(grant, forget_to)
  if is_full() then
    forget_if_empty(grant)
    return 'full'
  end
end

-- A command that the server refuses half-way (by the rights of the user, say) ends the script, and what was written stays. So what
-- says "reserved" is written last: until then too much is counted at most.
redis.call('SADD', base .. ':accounts', grant)
redis.call('HINCRBY', account, 'held', 1)
-- A block that stands in two lines counts once.
local is_counted = {}
for i = 8, #ARGV, 3 do
  local block = ARGV[i]
  if not is_counted[block] then
    is_counted[block] = true
    local counted = redis.call('HGET', account, block)
    if counted then
      redis.call('HSET', account, block, sum(counted:sub(1, 20), amount) .. counted:sub(21))
    else
      redis.call('SADD', grants_of(block), grant)
      redis.call('HSET', account, block, amount .. ARGV[i + 2])
    end
  end
end
redis.call('SET', reservation, demand)
return 'reserved'
