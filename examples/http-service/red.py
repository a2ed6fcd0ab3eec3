#!/usr/bin/env python3
"""Breaks each rule of the service, in a copy, and expects the test that is about it to fail: `red.py [word of a name]...`"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY = HERE / "target" / "red" / "tree"
PARTS = ["Cargo.toml", "Cargo.lock", "README.md", "src", "benches", "vectors", "proptests", "examples"]
AUTH, COMMIT, FRAME, SHOP, SERVE = (f"src/{name}.rs" for name in ["auth", "commit", "frame", "shop", "serve"])
POSTGRES, REDIS, MEMORY, MAIN = "src/records/postgres.rs", "src/records/redis.rs", "src/records/memory.rs", "src/main.rs"
REPLY, ROUTES, REVOCATION, ENDING = "src/reply.rs", "src/routes.rs", "src/revocation.rs", "src/ending.rs"
SETTLE = "let _closed = app.ledger.close(&order.attempt, Close::Settle).await?;"
RELEASE = "let _closed = app.ledger.close(&order.attempt, Close::Release).await?;\n    reached"

# Name, file, what stands there, what takes its place, the file of the test, the test.
REDS = [
    ("layer: a route without it", ROUTES, "handler(route.verb).layer(layer)",
     "if route.path == \"/gift/undo\" { handler(route.verb) } else { handler(route.verb).layer(layer) }", "layer", "the_capability_is"),
    ("layer: a handler without evidence goes on", SHOP, "pub async fn expand(expanded: Cleared<Expanded>) -> Reply {\n",
     "pub async fn expand(expanded: Result<Cleared<Expanded>, Reply>) -> Reply {\n    let Ok(expanded) = expanded else { return Reply::new(\"\", json!({\"kind\": \"menu\"})) };\n",
     "layer", "a_route_without"),
    ("frame: the verb is the body's", FRAME, 'if members.text("verb")? != route.verb.as_str() {', 'if members.text("verb")?.is_empty() {', "layer", "what_is_no_frame"),
    ("frame: the capability is the body's", FRAME, "capability.as_str() == Some(its)", "!capability.is_null() && !its.is_empty()", "layer", "the_capability_is"),
    ("frame: names twice", FRAME, "let canonical = parley_grants::canonicalize(text).ok();",
     "let canonical = String::from_utf8(text.to_vec()).ok();", "layer", "what_is_no_frame"),
    ("frame: unknown members", FRAME, "if !members.0.is_empty() {", "if members.0.len() > 9 {", "layer", "what_is_no_frame"),
    ("frame: any version", FRAME, 'if members.0.remove("parley") != Some(Value::from(1)) {', 'if members.0.remove("parley").is_none() {', "layer", "what_is_no_frame"),
    ("frame: a capability where there is none", FRAME, "route.capability.is_some_and(|its|", "route.capability.is_none_or(|its|", "layer", "what_is_no_frame"),
    ("frame: control characters", FRAME, "text.chars().any(char::is_control)", "text.len() > 1_000", "layer", "what_is_no_frame"),
    ("frame: ids of any length", FRAME, "(1..=ID_BYTES).contains(&text.len())", "!text.is_empty()", "layer", "what_is_no_frame"),
    ("layer: a proposal of another capability", AUTH, "(proposal.terms().capability() == capability).then_some(", "Some(", "layer", "the_capability_is"),
    ("layer: a receipt of another capability", AUTH, "receipt.filter(|receipt| receipt.committed.capability() == capability)",
     "receipt.filter(|_| !capability.is_empty())", "layer", "the_capability_is"),
    ("layer: an unknown proposal is not found", AUTH, "        None => {\n            let commit = Commit::Sent",
     "        None => {\n            return Err(Reply::error(StatusCode::NOT_FOUND, \"not_found\"));\n            #[allow(unreachable_code)]\n            let commit = Commit::Sent",
     "layer", "refusals_of_one"),
    ("layer: an unknown handle is not found", AUTH, "let owner = found", "if found.is_none() { return Err(Reply::error(StatusCode::NOT_FOUND, \"not_found\")); }\n            let owner = found",
     "layer", "refusals_of_one"),
    ("layer: an unknown receipt is not found", AUTH, "            // One that there is not is nobody's", "            if found.is_none() { return Err(Reply::error(StatusCode::NOT_FOUND, \"not_found\")); }\n            // One that there is not is nobody's",
     "layer", "refusals_of_one"),
    ("layer: a handle is anybody's", SHOP, "Some(Value::String(key)) => Owner::Key(RecordedKey::read(key)),", "Some(Value::String(_)) => Owner::Anyone,",
     "layer", "refusals_of_one"),
    ("layer: without a proof is anonymous", FRAME, "self.proof.is_none() && self.grants.is_empty()", "self.proof.is_none()", "layer", "who_shows_nothing"),
    ("layer: every route is open", AUTH, "route.is_open && frame.is_anonymous() && !auto", "frame.is_anonymous() && !auto", "layer", "who_shows_nothing"),
    ("layer: HELLO believes a proof of anything", AUTH, "Verb::Hello, service, now)", "Verb::Ask, service, now)", "layer", "hello_tells"),
    ("reply: the reason is told", REPLY, "Answer::Unauthorized => StatusCode::UNAUTHORIZED,",
     "Answer::Unauthorized => return Self { last: json!({\"kind\": \"error\", \"error\": \"unauthorized\", \"why\": refusal.log().to_string()}), ..Self::error(StatusCode::UNAUTHORIZED, \"\") },",
     "layer", "refusals_of_one"),
    ("revocation: read once", AUTH, "        app.revocation.refresh();\n", "", "layer", "what_is_revoked"),
    ("revocation: a missing list revokes nothing", REVOCATION, "read(path).unwrap_or_else(|why| everything(why, None))", "read(path).unwrap_or_default()", "layer", "what_is_revoked"),
    ("revocation: an odd line is passed over", REVOCATION, "Err(_) => Ok(everything(\"a line of the list is no id of a block\", stable)),", "Err(_) => Ok(List { version: stable, ..List::default() }),",
     "layer", "what_is_revoked"),
    ("revocation: a part is a list", REVOCATION, "if lines.pop() != Some(END) {", "if lines.pop().is_some_and(|line| line.contains('!')) {", "revocation", "a_part_of_a_list"),
    ("revocation: a list after another", REVOCATION, "if lines.contains(&END) {", "if lines.len() > 1_000_000 {", "revocation", "a_part_of_a_list"),
    ("revocation: what changed while it was read", REVOCATION, "    if lines.pop() != Some(END) {", "    lines.push(END);\n    if lines.pop() != Some(END) {", "revocation", "a_list_that_is_rewritten"),
    ("revocation: a file that changed just now has a version", REVOCATION, "(modified < before && changed < before).then_some(version)", "(modified < before || changed > 0).then_some(version)",
     "lib", "what_changed_just_now"),
    ("revocation: two readings at once", REVOCATION, "let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);", "drop(self.reading.lock().unwrap_or_else(PoisonError::into_inner));",
     "revocation", "a_slow_reading"),
    ("commit: not claimed", COMMIT, "        Ok(false) => return Err(Stop::Busy),", "        Ok(false) => {}", "commit", "of_many_at_once"),
    ("commit: executed whatever its claim became", COMMIT, "            Ok(true) => {}\n            Ok(false) => {\n                // Another process",
     "            Ok(_) if true => {}\n            Ok(true) => {}\n            Ok(false) => {\n                // Another process", "commit", "a_slow_process"),
    ("commit: what was given up stays counted", COMMIT, "if let Err(error) = app.end_one(&self.key, self.order.attempt, self.now).await {", "if let Err(error) = app.records.get(Kind::Order, &self.key).await {",
     "commit", "a_slow_process"),
    ("commit: not settled", ENDING, SETTLE, "", "commit", "every_lost_call"),
    ("commit: not released", ENDING, RELEASE, "reached", "commit", "every_lost_call"),
    ("commit: not abandoned", ENDING, "    step_to(app, key, Some(&failed), None, now).await?;\n", "", "commit", "every_lost_call"),
    ("commit: released before it is out of reach", ENDING, "        State::Open => {\n", "        State::Open => {\n            let _ = app.ledger.close(&order.attempt, Close::Release).await?;\n            if order.instance.is_empty() { return Ok(()); }\n",
     "commit", "a_slow_process"),
    ("commit: a lost answer is forgotten", ENDING, "unfinished.insert((key.into(), order.attempt));", "let _ = (&mut unfinished, key, order);", "commit", "every_lost_call"),
    ("commit: a restart takes up nothing", ENDING, "order.instance == self.instance &&", "false &&", "commit", "every_lost_call"),
    ("commit: a restart takes up what is others'", ENDING, "order.instance == self.instance &&", "", "stores", "a_process_that_is_killed_at_any_step_on_redis"),
    ("commit: what is not known is denied", COMMIT, "return Outcome::Unknown;", "return Outcome::NotExecuted;", "commit", "an_auto_frame_never"),
    ("commit: a lost execution is taken for none", COMMIT, "order.attempt == self.order.attempt && order.receipt().is_some()", "order.attempt != self.order.attempt && order.receipt().is_some()",
     "commit", "an_auto_frame_never"),
    ("commit: any consent will do", COMMIT, "        Ok(is_ours)", "        Ok(is_ours || claim.last().is_some())", "commit", "a_consent_is_for"),
    ("commit: a closed warehouse sends", COMMIT, "let (Some(receipt), false) = (receipt, is_closed)", "let (Some(receipt), _) = (receipt, is_closed)", "commit", "a_consent_is_for"),
    ("auto: frames are not claimed", SHOP, "Claimed::First(ticket) => ticket,\n        Claimed::Done => return first_answer(app, id, &name, &asked).await,\n        Claimed::InProgress | Claimed::Full => return Err(Reply::unavailable()),",
     "Claimed::First(ticket) => ticket,\n        _ => parley_grants::Ticket::from_parts(*claim.key(), 0),", "commit", "an_auto_frame"),
    ("auto: a repeat of anything", SHOP, 'if answer.get("asked") != Some(asked) {', 'if answer.get("asked").is_none() {', "commit", "an_auto_frame"),
    ("auto: what is no order keeps its frame", SHOP, "app.ledger.end(&ticket, End::Abandon)", "app.ledger.end(&ticket, End::Finish)", "commit", "an_auto_frame"),
    ("undo: at any time", SHOP, "if now >= receipt.undo_until {", "if now < 0 {", "commit", "times_are_kept"),
    ("undo: a second later", SHOP, "if now >= receipt.undo_until {", "if now > receipt.undo_until {", "commit", "times_are_kept"),
    ("undo: a repeat is not answered", SHOP, "await.map_err(again)?.is_some() {\n        return Ok(undone);", "await.map_err(again)?.is_some() {\n        return Err(Reply::forbidden());",
     "commit", "an_undo_happens"),
    ("expand: at any time", SHOP, "is_none_or(|until| now >= until)", "is_none()", "commit", "times_are_kept"),
    ("flood: any length is read", AUTH, "if data.len() > limit.saturating_sub(text.len()) {", "if data.len() > limit.saturating_mul(1 << 20) {", "flood", "what_is_too_large"),
    ("flood: a length is not looked at", AUTH, "length > app.limits.body_bytes as u64", "length == u64::MAX", "flood", "what_is_too_large"),
    ("flood: bodies take their time", AUTH, "tokio::time::timeout(app.limits.body_time,", "tokio::time::timeout(app.limits.body_time.saturating_mul(1_000),", "flood", "slow_bodies"),
    ("flood: slow bodies take the places of others", AUTH, "let (mut parts, body) = request.into_parts();",
     "let (mut parts, body) = request.into_parts();\n    let _place = app.working.clone().try_acquire_owned().map_err(|_| Reply::unavailable())?;", "flood", "slow_bodies"),
    ("flood: bodies without a bound", AUTH, "let reading = app.reading.clone().try_acquire_owned().map_err(|_| Reply::unavailable())?;", "let reading = app.reading.clone().try_acquire_owned();",
     "flood", "beyond_the_bound_of_bodies"),
    ("flood: a place is not given back", AUTH, "    drop(reading);", "    std::mem::forget(reading);", "flood", "beyond_the_bound_of_bodies"),
    ("flood: work without a bound", AUTH, "let working = app.working.clone().try_acquire_owned().map_err(|_| Reply::unavailable().re(&id))?;",
     "let working = app.working.clone().try_acquire_owned();", "flood", "beyond_the_bound_of_work"),
    ("flood: who hangs up stops it", AUTH, "    match task.await {", "    struct Abort(tokio::task::AbortHandle);\n    impl Drop for Abort { fn drop(&mut self) { self.0.abort() } }\n    let _abort = Abort(task.abort_handle());\n    match task.await {",
     "flood", "beyond_the_bound_of_work"),
    ("flood: heads take their time", SERVE, ".header_read_timeout(limits.head_time)", "", "flood", "slow_heads"),
    ("flood: a connection lasts for ever", SERVE, "tokio::time::sleep(limits.connection_time)", "std::future::pending()", "flood", "who_never_reads"),
    ("log: the proof", AUTH, "    let id = frame.id.clone();\n    let working", "    tracing::debug!(\"{:?}\", frame.proof);\n    let id = frame.id.clone();\n    let working", "log", "no_token"),
    ("log: the handle", AUTH, "        Ask::Expand { handle } => {\n", "        Ask::Expand { handle } => {\n            tracing::debug!(\"{handle}\");\n", "log", "no_token"),
    ("log: the grants", AUTH, "    let id = frame.id.clone();\n    let working", "    tracing::debug!(\"{:?}\", frame.grants);\n    let id = frame.id.clone();\n    let working", "log", "no_token"),
    ("log: the malformed body", AUTH, "tracing::debug!(\"malformed: {}\", malformed.why);", "tracing::debug!(\"malformed: {}\", String::from_utf8_lossy(&text));", "log", "no_token"),
    ("log: no decision on a COMMIT", COMMIT, "    telemetry::decided(&app.verifier.record_commit(commit, &presented, Ok((&allowed, &reservation))));\n",
     "    let _ = &reservation;\n", "log", "no_token"),
    ("metrics: by id", AUTH, "app.metrics.count(route.verb, class);", "app.metrics.count(route.verb, String::leak(format!(\"{class}\\\",id=\\\"x\")));", "log", "no_token"),
    ("stores: a swap from anything, PostgreSQL", POSTGRES, "where kind = $1 and key = $2 and body = $3 returning key\";\n                self.rows(update",
     "where kind = $1 and key = $2 and body is distinct from $3 || 'x' returning key\";\n                self.rows(update", "stores", "records_in_postgres"),
    ("stores: an insert over what is there, PostgreSQL", POSTGRES, "on conflict do nothing returning key", "on conflict (kind, key) do update set body = excluded.body returning key",
     "stores", "records_in_postgres"),
    ("stores: a removal of anything, PostgreSQL", POSTGRES, "delete from parley_record where kind = $1 and key = $2 and body = $3", "delete from parley_record where kind = $1 and key = $2 and body <> $3 || 'x'",
     "stores", "records_in_postgres"),
    ("stores: forgotten a day early, PostgreSQL", POSTGRES, "now.checked_sub(MARGIN)", "now.checked_sub(MARGIN - MARGIN)", "stores", "records_in_postgres"),
    ("stores: the server's isolation, PostgreSQL", POSTGRES, " -c default_transaction_isolation=read\\\\ committed", "", "stores", "records_in_postgres"),
    ("stores: nothing is forgotten, PostgreSQL", POSTGRES, "now.checked_sub(MARGIN)", "now.min(0).checked_sub(MARGIN)", "stores", "records_in_postgres"),
    ("stores: a swap from anything, Redis", REDIS, "then return 0 end", "then redis.call('PING') end", "stores", "records_in_postgres"),
    ("stores: empty is absent, Redis", REDIS, "(is and '=' .. is or '')", "(is and is ~= '' and '=' .. is or '')", "stores", "records_in_postgres"),
    ("stores: one page of a list, Redis", REDIS, "if cursor == 0 {", "if cursor == 0 || !names.is_empty() {", "stores", "records_in_postgres"),
    ("stores: an answered error costs the connection, PostgreSQL", POSTGRES, "told.parsed_severity() == Some(Severity::Error)", "told.parsed_severity() == Some(Severity::Warning)",
     "stores", "records_in_postgres"),
    ("stores: a start reads all, PostgreSQL", POSTGRES, "and position('\\\"state\\\":\\\"done\\\"' in body) = 0 and key > $1", "and strpos(body, '\\\"state\\\":\\\"done\\\"') = 0 and key > $1",
     "stores", "a_start_on_postgres"),
    ("stores: a start reads what is done, PostgreSQL", POSTGRES, "and position('\\\"state\\\":\\\"done\\\"' in body) = 0 and key > $1", "and key > $1", "stores", "records_in_postgres"),
    ("stores: one page of what is open, PostgreSQL", POSTGRES, "            if rows.is_empty() {\n                return Ok(orders);", "            if rows.is_empty() || orders.len() >= 1000 {\n                return Ok(orders);",
     "stores", "records_in_postgres"),
    ("stores: what is open is not noted, Redis", REDIS, "redis.call('SADD', KEYS[2], ARGV[4])", "redis.call('PING')", "stores", "records_in_postgres"),
    ("stores: what is done stays open, Redis", REDIS, "redis.call('SREM', KEYS[2], ARGV[4])", "redis.call('PING')", "stores", "records_in_postgres"),
    ("stores: what is done is open, memory", MEMORY, "orders.retain(|(_, text)| is_open(Kind::Order, text));", "orders.retain(|_| true);", "stores", "records_in_memory"),
    ("stores: one after the other, Redis", REDIS, "timeout_at(deadline, self.connection())\n            .await\n            .unwrap_or_else(|_| Err(StoreError::NotAsked(\"no connection in time\".into())))?", "self.connection().await?",
     "stores", "a_redis_that_hangs"),
    ("stores: memory without a bound", MEMORY, "return Err(StoreError::Failed(\"no room for another record\".into()));", "", "stores", "records_in_memory"),
    ("stores: memory forgets a day early", MEMORY, "until.saturating_add(MARGIN) > now", "*until > now", "stores", "records_in_memory"),
    ("start: limits of any size", MAIN, "if !(1..=most).contains(&number) {", "if most == 0 {", "flags", "it_does_not_start"),
    ("start: memory without a word", MAIN, "tracing::warn!(\"what was spent", "tracing::debug!(\"what was spent", "flags", "with_the_largest"),
    ("start: without a principal", MAIN, "if flags.principals.is_empty() {", "if flags.principals.len() > 99 {", "flags", "it_does_not_start"),
]


def target_of(file):
    return ["--lib"] if file == "lib" else ["--test", file]


def main():
    wanted = [red for red in REDS if not sys.argv[1:] or any(word in red[0] for word in sys.argv[1:])]
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for part in PARTS:
        source, target = ROOT / part, COPY / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("target", "corpus"))
        else:
            shutil.copy2(source, target)
    crate = COPY / "examples" / "http-service"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(HERE / "target" / "red" / "build"), "RUST_BACKTRACE": "0"}

    def cargo(*arguments, seconds=900):
        command = ["cargo", "test", "--quiet", "--locked", "--features", "crash", *arguments]
        with subprocess.Popen(command, cwd=crate, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              start_new_session=True) as run:
            try:
                text, _ = run.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                return None, "no end in time"
        return run.returncode, text

    # A test that fails by itself, or that there is none of, would see everything red.
    for file, test in sorted({(file, test) for *_, file, test in wanted}):
        code, text = cargo(*target_of(file), "--", test)
        if code != 0 or not re.search(r"test result: ok\. [1-9]", text):
            sys.exit(f"{test} is not green before anything is broken\n{text}")

    unseen = []
    for name, path, old, new, file, test in wanted:
        before = (crate / path).read_text()
        if old not in before:
            sys.exit(f"{name}: {path} has no {old!r}")
        (crate / path).write_text(before.replace(old, new))
        target = target_of(file)
        code, text = cargo("--no-run", *target)
        if code:
            sys.exit(f"{name}: it does not build\n{text}")
        code, text = cargo(*target, "--", test, seconds=120)
        # A test that does not end has seen nothing.
        is_red = code not in (0, None) and "panicked" in text
        print(f"{'red' if is_red else 'NO END IN TIME' if code is None else 'NOT SEEN'}: {name} ({test})", flush=True)
        if not is_red:
            unseen.append(name)
        (crate / path).write_text(before)
    shutil.rmtree(COPY)
    print(f"{len(wanted) - len(unseen)} of {len(wanted)} red")
    sys.exit(bool(unseen))


main()
