-- ARGV: block. The total under each grant that has one: a block has one grant.
local totals = {}
for _, grant in ipairs(redis.call('SMEMBERS', grants_of(ARGV[1]))) do
  local counted = redis.call('HGET', account_of(grant), ARGV[1])
  totals[#totals + 1] = counted and counted:sub(1, 20)
end
return totals
