-- The ledger and the claims (PostgreSQL 13 or later). `Postgres::connect` runs this file in one transaction where there is no
-- parley_schema yet. Times are unix seconds of the caller's clock; the server's clock plays no part.
--
-- Each function is one step, and one statement for its caller. It counts on READ COMMITTED: a statement that has waited for
-- a row's lock is followed by statements that see what the transaction which held the lock has committed. All locks are
-- taken in one order: the account, then a reservation; whoever has a reservation's waits for nothing more.

create table parley_schema (version int not null);
insert into parley_schema values (1);

-- Its row is the lock under which anything below one grant changes.
create table parley_account (
  grant_id bytea primary key,
  held int not null check (held >= 0)
);

-- Under (block, grant), as a block is only known by its id: nobody's total depends on which grant somebody else names with it.
-- numeric, as u64 does not fit bigint, and a sum must not wrap.
create table parley_total (
  block bytea,
  grant_id bytea,
  amount numeric(20) not null check (amount >= 0),
  forget_after bigint,
  primary key (block, grant_id)
);
create index on parley_total (grant_id);

-- The demand as it was, its lines in their order.
create table parley_reservation (
  id bytea primary key,
  grant_id bytea not null,
  proposal bytea not null,
  amount numeric(20) not null,
  blocks bytea[] not null,
  maxes numeric[] not null,
  forget_after bigint[] not null,
  state text not null check (state in ('held', 'settled', 'released')),
  -- When housekeeping first saw that it has ended.
  ended_seen bigint
);
create index on parley_reservation (ended_seen) where state <> 'held';

-- No two claimings share a turn, and of one name a later one has a higher.
create sequence parley_turn;

create table parley_claim (
  key bytea primary key,
  last bigint,
  turn bigint not null,
  is_done boolean not null
);
create index on parley_claim (last);

-- Those whose `forget_after` is up to this, or none. Whoever calls this has the account's lock. What is held may be given back to its total, so then none is forgotten.
create function parley_forget_totals(p_grant bytea, p_forget_to bigint) returns void
language sql as $$
  delete from parley_total
  where grant_id = p_grant
    and forget_after <= p_forget_to
    and (select held = 0 from parley_account where grant_id = p_grant);
$$;

create function parley_reserve(
  p_id bytea, p_grant bytea, p_proposal bytea, p_amount numeric, p_forget_to bigint,
  p_blocks bytea[], p_maxes numeric[], p_forget_after bigint[],
  p_blocks_per_grant bigint, p_held_per_grant bigint
) returns text language plpgsql as $$
declare
  before parley_reservation;
  held_now int;
  counted bigint;
  added bigint;
begin
  insert into parley_account as a (grant_id, held) values (p_grant, 0)
    on conflict (grant_id) do update set held = a.held
    returning a.held into held_now;

  select * into before from parley_reservation where id = p_id;
  if found then
    if before.state = 'held' and before.grant_id = p_grant and before.proposal = p_proposal
      and before.amount = p_amount and before.blocks = p_blocks and before.maxes = p_maxes
      and before.forget_after = p_forget_after
    then
      return 'reserved';
    end if;
    return 'taken';
  end if;

  if exists (
    select from unnest(p_blocks, p_maxes) as line (block, max)
    left join parley_total t on t.block = line.block and t.grant_id = p_grant
    where coalesce(t.amount, 0) + p_amount > line.max
  ) then
    return 'exceeded';
  end if;

  for attempt in 1..2 loop
    select count(*) into counted from parley_total where grant_id = p_grant;
    select count(*) into added from unnest(p_blocks) as line (block)
      where not exists (select from parley_total t where t.block = line.block and t.grant_id = p_grant);
    exit when held_now < p_held_per_grant and counted + added <= p_blocks_per_grant;
    if attempt = 2 then
      return 'full';
    end if;
    perform parley_forget_totals(p_grant, p_forget_to);
  end loop;

  -- Of two demands under one id and different grants the second fails here, whole, and finds it taken when it asks again.
  insert into parley_reservation
    values (p_id, p_grant, p_proposal, p_amount, p_blocks, p_maxes, p_forget_after, 'held');
  -- A block that stands in two lines counts once.
  insert into parley_total as t (block, grant_id, amount, forget_after)
    select distinct on (line.block) line.block, p_grant, p_amount, line.forget_after
      from unnest(p_blocks, p_forget_after) with ordinality as line (block, forget_after, place)
      order by line.block, line.place
    on conflict (block, grant_id) do update set amount = t.amount + excluded.amount;
  update parley_account set held = held + 1 where grant_id = p_grant;
  return 'reserved';
end $$;

create function parley_close(p_id bytea, p_state text) returns boolean language plpgsql as $$
declare
  r parley_reservation;
begin
  -- Only to know which account to lock; what is true is asked under the lock. A reservation that is made in between, or made
  -- anew under another grant, is none that this found.
  select * into r from parley_reservation where id = p_id;
  if not found then
    return false;
  end if;
  perform from parley_account where grant_id = r.grant_id for update;
  update parley_reservation set state = p_state where id = p_id and grant_id = r.grant_id and state = 'held'
    returning * into r;
  if not found then
    return false;
  end if;
  if p_state = 'released' then
    update parley_total set amount = amount - r.amount where grant_id = r.grant_id and block = any (r.blocks);
  end if;
  -- A total of 0 is what there is without one.
  delete from parley_total where grant_id = r.grant_id and amount = 0;
  update parley_account set held = held - 1 where grant_id = r.grant_id;
  return true;
end $$;

-- 'in progress', 'done', or 'first' with its turn.
create function parley_make_claim(p_key bytea, p_last bigint, p_now bigint, out said text, out turn_given bigint)
language plpgsql as $$
begin
  -- Where it is alive nothing changes, but its row is locked all the same.
  insert into parley_claim as c (key, last, turn, is_done) values (p_key, p_last, 0, false)
    on conflict (key) do update set last = excluded.last, is_done = false
    where c.last is null or c.last < p_now;
  if found then
    said := 'first';
    -- Only now, with the row locked, so that turns of one name grow.
    update parley_claim set turn = nextval('parley_turn') where key = p_key returning turn into turn_given;
  else
    select case when is_done then 'done' else 'in progress' end into said from parley_claim where key = p_key;
  end if;
end $$;

create function parley_end_claim(p_key bytea, p_turn bigint, p_is_done boolean) returns boolean
language plpgsql as $$
begin
  if p_is_done then
    update parley_claim set is_done = true where key = p_key and turn = p_turn and not is_done;
  else
    delete from parley_claim where key = p_key and turn = p_turn and not is_done;
  end if;
  return found;
end $$;

-- Housekeeping under one grant.
create function parley_forget_account(p_grant bytea, p_forget_to bigint) returns void
language plpgsql as $$
begin
  perform from parley_account where grant_id = p_grant for update;
  perform parley_forget_totals(p_grant, p_forget_to);
  delete from parley_account
    where grant_id = p_grant and held = 0
      and not exists (select from parley_total t where t.grant_id = p_grant);
end $$;
