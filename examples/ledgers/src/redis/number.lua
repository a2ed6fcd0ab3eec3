-- Numbers as text of just 20 digits, as all of them fit there. Lua's own are doubles, which are exact up to 2^53 only; each half
-- of ten digits is.
local digits = '^' .. ('%d'):rep(20) .. '$'

local function halves(text)
  if type(text) ~= 'string' or not text:match(digits) then
    error('not a number of 20 digits')
  end
  return tonumber(text:sub(1, 10)), tonumber(text:sub(11))
end

local function text_of(high, low)
  if high < 0 or high >= 1e10 then
    error('a total out of range')
  end
  return string.format('%010.0f%010.0f', high, low)
end

local function sum(a, b)
  local a_high, a_low = halves(a)
  local b_high, b_low = halves(b)
  local high, low = a_high + b_high, a_low + b_low
  if low >= 1e10 then
    high, low = high + 1, low - 1e10
  end
  return text_of(high, low)
end

local function difference(a, b)
  local a_high, a_low = halves(a)
  local b_high, b_low = halves(b)
  local high, low = a_high - b_high, a_low - b_low
  if low < 0 then
    high, low = high - 1, low + 1e10
  end
  return text_of(high, low)
end

local function at_most(a, b)
  local a_high, a_low = halves(a)
  local b_high, b_low = halves(b)
  return a_high < b_high or (a_high == b_high and a_low <= b_low)
end

