-- Of one grant: how many reservations are held, and under each block's id its total and its `forget_after`.
local base = KEYS[1]
local zero = ('0'):rep(20)
local never = ('-'):rep(20)

local function account_of(grant)
  return base .. ':account:' .. grant
end

-- Which grants have a total for a block.
local function grants_of(block)
  return base .. ':block:' .. block
end

local function held_under(grant)
  return tonumber(redis.call('HGET', account_of(grant), 'held') or '0')
end

local function forget_block(grant, block)
  redis.call('HDEL', account_of(grant), block)
  redis.call('SREM', grants_of(block), grant)
end

-- Calls `what` with each block, its total and its `forget_after`.
local function each_total(grant, what)
  local fields = redis.call('HGETALL', account_of(grant))
  for i = 1, #fields, 2 do
    if fields[i] ~= 'held' then
      what(fields[i], fields[i + 1]:sub(1, 20), fields[i + 1]:sub(21))
    end
  end
end

-- What is held may be given back to its total, so then none is forgotten.
local function forget_totals(grant, forget_to)
  if forget_to ~= never and held_under(grant) == 0 then
    each_total(grant, function(block, _, forget_after)
      if forget_after ~= never and at_most(forget_after, forget_to) then
        forget_block(grant, block)
      end
    end)
  end
end

-- An account of nothing is what there is without one.
local function forget_if_empty(grant)
  local account = account_of(grant)
  if held_under(grant) == 0 and redis.call('HLEN', account) == redis.call('HEXISTS', account, 'held') then
    redis.call('DEL', account)
    redis.call('SREM', base .. ':accounts', grant)
    return true
  end
  return false
end

