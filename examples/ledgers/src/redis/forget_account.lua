-- ARGV: grant, up to which end totals may be forgotten.
forget_totals(ARGV[1], ARGV[2])
return forget_if_empty(ARGV[1]) and 1 or 0
