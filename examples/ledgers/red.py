#!/usr/bin/env python3
"""Breaks each rule of the stores, in a copy, and expects the test that is about it to fail: `red.py [word of a name]...`"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY = HERE / "target" / "red" / "tree"
PARTS = ["Cargo.toml", "Cargo.lock", "README.md", "src", "benches", "vectors", "proptests", "examples"]
GUARD = "where coalesce(t.amount, 0) + p_amount > line.max"
LOCK = "  insert into parley_account as a (grant_id, held) values"
CHECK = f"""  if exists (
    select from unnest(p_blocks, p_maxes) as line (block, max)
    left join parley_total t on t.block = line.block and t.grant_id = p_grant
    {GUARD}
  ) then
    return 'exceeded';
  end if;
"""
HELD = "and (select held = 0 from parley_account where grant_id = p_grant)"
EXCEEDED = "  if not at_most(sum(counted and counted:sub(1, 20) or zero, amount), ARGV[i + 1]) then\n"
ASKS = "let said: String = self.run(&RESERVE, &arguments).await?;"
ASKS_FIRST = """for line in demand.lines {
            if self.total(&line.block).await? + demand.amount > line.max { return Ok(Reserve::Exceeded); }
        }
        """ + ASKS
SCHEMA, RESERVE, CLOSE, CLAIM, END = ("schema.sql", *(f"src/redis/{name}.lua" for name in ["reserve", "close", "claim", "end"]))
NUMBER, ACCOUNT, POSTGRES, REDIS, LIB = "src/redis/number.lua", "src/redis/account.lua", "src/postgres.rs", "src/redis.rs", "src/lib.rs"

# Name, file, what stands there, what takes its place, the test.
REDS = [
    ("postgres: no cap", SCHEMA, GUARD, "where false", "postgres_stays_within_caps"),
    ("postgres: the cap of the first block only", SCHEMA, GUARD, GUARD + " and line.block = p_blocks[1]", "postgres_stays_within_caps"),
    ("postgres: checked before the lock", SCHEMA, CHECK, "", "postgres_stays_within_caps", (SCHEMA, LOCK, CHECK + LOCK)),
    ("postgres: exceeded, and counted in part", SCHEMA, "    return 'exceeded';",
     "    update parley_total set amount = amount + p_amount where grant_id = p_grant and block = p_blocks[1];\n    return 'exceeded';",
     "postgres_agrees"),
    ("postgres: full before exceeded", SCHEMA, "return 'exceeded';", "return 'full';", "postgres_agrees"),
    ("postgres: reserved under any demand of the id", SCHEMA, "if before.state = 'held' and before.grant_id = p_grant",
     "if before.state = 'held' or before.grant_id = p_grant", "postgres_agrees"),
    *((f"postgres: the same, but for {part}", SCHEMA, f"and before.{part} = p_{part}", "", "postgres_agrees")
      for part in ["proposal", "amount", "blocks", "maxes", "forget_after"]),
    ("postgres: the same, but for the grant", SCHEMA, "and before.grant_id = p_grant ", "", "postgres_agrees"),
    ("postgres: ended ids are free again", SCHEMA, "update parley_reservation set state = p_state where id = p_id and grant_id = r.grant_id and state = 'held'",
     "delete from parley_reservation where id = p_id and grant_id = r.grant_id and state = 'held'", "postgres_counts_once"),
    ("postgres: ends twice", SCHEMA, "and grant_id = r.grant_id and state = 'held'\n", "and grant_id = r.grant_id\n", "postgres_counts_once"),
    ("postgres: ends what it did not find", SCHEMA, "where id = p_id and grant_id = r.grant_id and state = 'held'\n    returning * into r;",
     "where id = p_id and state = 'held';", "postgres_closes_what",
     (SCHEMA, "where id = p_id;\n  if not found then\n    return false;\n  end if;\n  perform", "where id = p_id;\n  perform")),
    ("postgres: closes without the lock", SCHEMA, "  perform from parley_account where grant_id = r.grant_id for update;\n", "", "postgres_closes_under"),
    ("postgres: forgets without the lock", SCHEMA, "  perform from parley_account where grant_id = p_grant for update;\n", "", "postgres_forgets_nothing"),
    ("redis: reserved before it is counted", RESERVE, "-- A command that the server refuses", "redis.call('SET', reservation, demand)\n-- A command that the server refuses", "redis_allows_nothing"),
    ("postgres: a release gives nothing back", SCHEMA, "if p_state = 'released' then", "if false then", "postgres_survives"),
    ("postgres: settled is given back", SCHEMA, "if p_state = 'released' then", "if true then", "postgres_survives"),
    ("postgres: totals of 0 stay", SCHEMA, "  delete from parley_total where grant_id = r.grant_id and amount = 0;\n", "", "postgres_agrees"),
    ("postgres: unbounded", SCHEMA, "exit when held_now < p_held_per_grant and counted + added <= p_blocks_per_grant;", "exit;", "postgres_agrees"),
    ("postgres: forgets what is held when full", SCHEMA, HELD, "", "postgres_agrees"),
    ("postgres: forgets what is held", SCHEMA, HELD, "", "postgres_forgets",
     ("src/postgres/forget.rs", "from parley_account a where held = 0", "from parley_account a where true")),
    ("postgres: the loser of one id fails", POSTGRES, ", SqlState::UNIQUE_VIOLATION", "", "postgres_counts_a_name_once"),
    ("postgres: another block's grant", SCHEMA, "left join parley_total t on t.block = line.block and t.grant_id = p_grant",
     "left join parley_total t on t.block = line.block", "postgres_agrees"),
    ("postgres: claim ends a second early", SCHEMA, "c.last < p_now", "c.last <= p_now", "postgres_agrees"),
    ("postgres: a claim without an end lives", SCHEMA, "c.last is null or ", "", "postgres_agrees"),
    ("postgres: any turn ends a claim", SCHEMA, "and turn = p_turn and not is_done", "and not is_done", "postgres_agrees"),
    ("postgres: done is ended again", SCHEMA, "and turn = p_turn and not is_done", "and turn = p_turn", "postgres_agrees"),
    ("postgres: turns repeat", SCHEMA, "turn = nextval('parley_turn')", "turn = 1", "postgres_agrees"),
    ("postgres: fsync off is good enough", POSTGRES, '("on", "on" | "remote_apply") => Ok(()),', '(_, "on") => Ok(()),\n        ("on", "remote_apply") => Ok(()),', "servers_that_may_lose"),
    ("postgres: commits off the disk are good enough", POSTGRES, '("on", "on" | "remote_apply")', '("on", "on" | "remote_apply" | "off")', "servers_that_may_lose"),
    ("postgres: a schema is created by one", POSTGRES, "for _ in 0..TRIES", "for _ in 0..1", "a_schema_is_created_once"),
    ("postgres: no limit", POSTGRES, "Instant::now() + self.limit;\n        let mut tries", "Instant::now() + self.limit * 10;\n        let mut tries", "every_call_has"),
    ("postgres: a stop of the server is no doubt", POSTGRES, "severity == Some(Severity::Error)", "severity != Some(Severity::Warning)", "postgres_counts_once"),
    ("postgres: a fatal end is no doubt", POSTGRES, "severity == Some(Severity::Error)", "matches!(severity, Some(Severity::Error | Severity::Fatal))", "an_ended_connection"),
    ("postgres: a deadlock is final", POSTGRES, "SqlState::T_R_DEADLOCK_DETECTED, ", "", "a_deadlock_is_asked_again"),
    ("postgres: a lost serialization is final", POSTGRES, "SqlState::T_R_SERIALIZATION_FAILURE, ", "", "a_deadlock_is_asked_again"),
    ("postgres: the server's own isolation", POSTGRES, "set default_transaction_isolation = 'read committed'; ", "", "a_strict_server"),
    ("margin: none", LIB, "now.checked_sub(MARGIN)", "Some(now)", "forgets_in_time"),
    ("margin: a second short", LIB, "now.checked_sub(MARGIN)", "now.checked_sub(MARGIN - 1)", "forgets_in_time"),
    ("margin: claims without", "src/postgres/forget.rs", "now.checked_sub(MARGIN)", "Some(now)", "postgres_forgets"),
    ("margin: claims in Redis without", "src/redis/forget.rs", "now.checked_sub(MARGIN)", "Some(now)", "redis_forgets"),
    ("margin: ended ids at once", LIB, "KEEP_ENDED: i64 = 30 * 86_400", "KEEP_ENDED: i64 = 1", "forgets_in_time"),
    ("redis: no cap", RESERVE, EXCEEDED, "  if false then\n", "redis_stays_within_caps"),
    ("redis: check and count are two steps", REDIS, ASKS, ASKS_FIRST, "redis_stays_within_caps", (RESERVE, EXCEEDED, "  if false then\n")),
    ("redis: exceeded, and counted in part", RESERVE, EXCEEDED,
     EXCEEDED + "    if i > 8 then redis.call('HSET', account, ARGV[8], sum((redis.call('HGET', account, ARGV[8]) or zero):sub(1, 20), amount) .. never) end\n",
     "redis_agrees"),
    ("redis: any demand of the id", RESERVE, "before == demand and", "before ~= 'ended' and", "redis_agrees"),
    ("redis: the id is not looked at", RESERVE, "if before then", "if false then", "redis_counts_once"),
    ("redis: a block counts twice", RESERVE, "if not is_counted[block] then", "if true then", "redis_agrees"),
    ("redis: sums are doubles", NUMBER, "return text_of(high, low)\nend\n\nlocal function difference",
     "return string.format('%020.0f', tonumber(a) + tonumber(b))\nend\n\nlocal function difference", "redis_agrees"),
    ("redis: differences are doubles", NUMBER, "return text_of(high, low)\nend\n\nlocal function at_most",
     "return string.format('%020.0f', tonumber(a) - tonumber(b))\nend\n\nlocal function at_most", "redis_agrees"),
    ("redis: comparisons are of doubles", NUMBER, "return a_high < b_high or (a_high == b_high and a_low <= b_low)", "return tonumber(a) <= tonumber(b)", "redis_agrees"),
    ("redis: ended ids are free again", CLOSE, "redis.call('SET', reservation, 'ended')", "redis.call('DEL', reservation)", "redis_counts_once"),
    ("redis: ends twice", CLOSE, "redis.call('SET', reservation, 'ended')", "", "redis_counts_once"),
    ("redis: a release gives nothing back", CLOSE, "ARGV[2] == 'release'", "false", "redis_survives"),
    ("redis: settled is given back", CLOSE, "ARGV[2] == 'release'", "true", "redis_survives"),
    ("redis: totals of 0 stay", CLOSE, "if total == zero then", "if false then", "redis_agrees"),
    ("redis: unbounded", RESERVE, "return held_under(grant) >= most_held or blocks > most_blocks", "return false", "redis_agrees"),
    ("redis: forgets what is held", ACCOUNT, "if forget_to ~= never and held_under(grant) == 0 then", "if forget_to ~= never then", "redis_forgets"),
    ("redis: claim ends a second early", CLAIM, "at_most(ARGV[3], last)", "not at_most(last, ARGV[3])", "redis_agrees"),
    ("redis: any turn ends a claim", END, "turn ~= ARGV[2] or is_done ~= '0'", "is_done ~= '0'", "redis_agrees"),
    ("redis: done is ended again", END, "turn ~= ARGV[2] or is_done ~= '0'", "turn ~= ARGV[2]", "redis_agrees"),
    ("redis: turns repeat", CLAIM, "redis.call('INCR', KEYS[1] .. ':turn')", "redis.call('SET', KEYS[1] .. ':turn', 1)", "redis_agrees"),
    ("redis: counts when memory is full", REDIS, 'RESERVE: LazyLock<Script> = script!("",', 'RESERVE: LazyLock<Script> = script!("allow-oom",', "a_full_redis"),
    ("redis: cannot end when memory is full", REDIS, 'CLOSE: LazyLock<Script> = script!("allow-oom",', 'CLOSE: LazyLock<Script> = script!("",', "a_full_redis"),
    ("redis: any fsync is good enough", REDIS, '    ("appendfsync", "always"),\n', '    ("appendonly", "yes"),\n', "servers_that_may_lose"),
    ("redis: eviction is good enough", REDIS, '    ("maxmemory-policy", "noeviction"),\n', '    ("appendonly", "yes"),\n', "servers_that_may_lose"),
    ("redis: no append-only file, and nobody looks", REDIS, "if is != wanted", "if false", "redis_loses_nothing",
     ("tests/stores/servers.rs", '"--appendonly", "yes"', '"--appendonly", "no"')),
    ("redis: a broken connection is kept", REDIS, "self.broken.fetch_max(self.number, Relaxed);", "", "a_call_that"),
    ("postgres: a dead connection goes back", POSTGRES, "self.0.take().map(Object::take);", "", "a_call_that"),
    ("redis: no limit", REDIS, "Instant::now() + self.limit;", "Instant::now() + self.limit * 10;", "every_call_has",
     (REDIS, "set_response_timeout(Some(limit))", "set_response_timeout(None)")),
]


def main() -> None:
    wanted = [red for red in REDS if not sys.argv[1:] or any(word in red[0] for word in sys.argv[1:])]
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for part in PARTS:
        source, target = ROOT / part, COPY / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("target", "corpus"))
        else:
            shutil.copy2(source, target)
    crate = COPY / "examples" / "ledgers"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(HERE / "target" / "red" / "build"), "RUST_BACKTRACE": "0"}

    def cargo(*arguments: str, seconds: int = 900) -> tuple[int, str]:
        command = ["cargo", "test", "--quiet", "--locked", *arguments]
        with subprocess.Popen(
            command, cwd=crate, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        ) as run:
            try:
                text, _ = run.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                # The test too; its servers end with it.
                os.killpg(run.pid, signal.SIGKILL)
                return 1, "no end in two minutes"
        return run.returncode, text

    code, text = cargo("--no-run")
    if code:
        sys.exit(text)
    unseen = []
    for name, *change, test in (red if len(red) == 5 else red[:5] for red in wanted):
        changes = [change, *[list(more) for red in wanted if red[0] == name for more in red[5:]]]
        before = {}
        for path, old, new in changes:
            text = (crate / path).read_text()
            before.setdefault(path, text)
            if old not in text:
                sys.exit(f"{name}: {path} has no {old!r}")
            (crate / path).write_text(text.replace(old, new))
        started = time.monotonic()
        # The service's process is built along with the tests.
        code, text = cargo("--no-run")
        if code:
            sys.exit(f"{name}: it does not build\n{text}")
        code, text = cargo("--test", "stores", "--", test, seconds=120)
        # The test itself has to fail, and not its server or the build.
        why = re.search(r"panicked at tests/stores/(?!servers).*(\n.*)?", text)
        is_red = code != 0 and why is not None
        print(f"{'red' if is_red else 'NOT SEEN'}: {name} ({test}, {time.monotonic() - started:.0f} s)", flush=True)
        if is_red:
            print("     " + why[0].replace("\n", " ")[:200], flush=True)
        if not is_red:
            unseen.append(name)
        for path, text in before.items():
            (crate / path).write_text(text)
    print(f"{len(wanted) - len(unseen)} of {len(wanted)} red")
    sys.exit(bool(unseen))


main()
