"""Runs mutants and compares them with the lists beside this file; `run.sh` says how, and calls it."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT, TREE, OUT = (Path(argument) for argument in sys.argv[1:4])
HERE = Path(__file__).parent
RESULTS, SURVIVORS = HERE / "results.tsv", HERE / "survivors.tsv"

# Fastest first; each stage gets what those before it did not see. The seconds are for the tests alone.
STAGES = [("lib", "--lib", 60), ("vectors", "--test=vectors", 60), ("proptests", "--test=proptests", 300)]
SOURCES = {"lib": "src", "vectors": "vectors", "proptests": "proptests"}
OPTIONS = ["--all-features"]
OUTCOMES = {"CaughtMutant": "caught", "Timeout": "timeout", "Unviable": "unviable", "MissedMutant": "missed"}
# It matters whether a mutant lives, not which test ended it.
KIND = {"caught": "seen", "timeout": "seen", "unviable": "unviable", "missed": "missed"}


def stop(why):
    print(f"FAILED  {why}")
    sys.exit(1)


def natural(name):
    """Sorts the repeats of a name by number."""
    name, repeat = re.fullmatch(r"(.*?)(?: #(\d+))?", name).groups()
    return name, int(repeat or 1)


def listed():
    """The mutants of the source: those of the list, each with the name that `cargo mutants` has for it.

    Without line and column, so that an edit elsewhere in the file changes no name; repeats are counted."""
    command = ["cargo", "mutants", "--list", "--json", *OPTIONS, "--dir", str(ROOT)]
    mutants, seen = {}, {}
    for mutant in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout):
        name = re.sub(r"^([^:]+):\d+:\d+: ", r"\1: ", mutant["name"])
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f" #{seen[name]}"
        mutants[name] = mutant
    return mutants


def read(path, columns):
    lines = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("# ")]
    for line in lines:
        if len(line) != columns or not all(line[:2]):
            stop(f"{path.name}: {' | '.join(line)}: not {columns} columns")
    entries = {line[0]: line[1:] for line in lines}
    if len(entries) != len(lines):
        stop(f"{path.name}: a mutant is there twice")
    return entries


def write(results):
    header = "# mutant\toutcome\ttest that saw it\n"
    lines = ("\t".join([name, *results[name]]) + "\n" for name in sorted(results, key=natural))
    RESULTS.write_text(header + "".join(lines))


def seen_by(stage, log):
    """The first test that failed, or else the last one that was begun."""
    prefix = "" if stage == "lib" else stage + "::"
    failed = re.search(r"^test (\S+)(?: - should panic)? \.\.\. FAILED$", log, re.M)
    if failed:
        return prefix + failed[1]
    begun = re.findall(r"^test (\S+)(?: - should panic)? \.\.\. ", log, re.M)
    return f"{prefix}{begun[-1]} (does not end by itself)" if begun else f"{prefix}(does not begin)"


def run(mutants):
    """Outcome and test of each of these mutants."""
    results, left = {}, mutants
    everything = listed()
    for stage, which, seconds in STAGES:
        if not left:
            break
        out = OUT / stage
        out.mkdir(parents=True, exist_ok=True)
        files = {mutant["file"] for mutant in left.values()}
        command = ["cargo", "mutants", *OPTIONS, "--profile", "mutants", "--in-place", "--no-shuffle"]
        command += ["--timeout", str(seconds), "--output", str(out), "--colors", "never", f"--cargo-arg={which}"]
        command += [f"--file={file}" for file in sorted(files)]
        if any(mutant["file"] in files for name, mutant in everything.items() if name not in left):
            command += [f"--re=^{re.escape(mutant['name'])}$" for mutant in left.values()]
        with open(out / "log", "w") as log:
            status = subprocess.run(command, cwd=TREE, stdout=log, stderr=log).returncode
        # Some are missed, or do not end.
        if status not in (0, 2, 3):
            print((out / "log").read_text()[-3000:])
            stop(f"{stage}: cargo mutants ends with {status}")
        # Cargo-mutants' own name has line and column.
        names = {mutant["name"]: name for name, mutant in left.items()}
        out, got = out / "mutants.out", {}
        for outcome in json.loads((out / "outcomes.json").read_text())["outcomes"]:
            # `--re` does not keep out those that delete a field.
            name = outcome["scenario"] != "Baseline" and names.get(outcome["scenario"]["Mutant"]["name"])
            if name:
                result = OUTCOMES[outcome["summary"]]
                log = (out / outcome["log_path"]).read_text(errors="replace")
                got[name] = [result, seen_by(stage, log) if KIND[result] == "seen" else ""]
        if lost := left.keys() - got.keys():
            stop(f"{stage}: no outcome for {sorted(lost)}")
        results |= got
        missed = {name: mutant for name, mutant in left.items() if got[name][0] == "missed"}
        print(f"{stage}: {len(left)} mutants, {len(missed)} missed", flush=True)
        left = missed
    return results


def test_exists(test, cache={}):
    stage, _, name = test.split(" ")[0].rpartition("::")
    stage = stage.split("::")[0]
    stage = stage if stage in SOURCES else "lib"
    if stage not in cache:
        texts = (path.read_text() for path in (ROOT / SOURCES[stage]).rglob("*.rs"))
        cache[stage] = {name for text in texts for name in re.findall(r"\bfn (\w+)", text)}
    return name in cache[stage]


def stale(mutants, results):
    """Why an entry is not what the source says, by mutant."""
    why = {name: "is not in results.tsv" for name in mutants.keys() - results.keys()}
    why |= {name: "is no mutant of the source" for name in results.keys() - mutants.keys()}
    for name, (outcome, test) in results.items():
        if outcome not in KIND:
            why[name] = f"has the outcome {outcome}"
        elif KIND[outcome] == "seen" and not test_exists(test):
            why[name] = f"is seen by {test}, which is not there"
    return why


def unexplained(results):
    survivors = read(SURVIVORS, 2)
    missed = {name for name, (outcome, _) in results.items() if outcome == "missed"}
    why = {name: "is missed, and not in survivors.tsv" for name in missed - survivors.keys()}
    return why | {name: "is in survivors.tsv, but not missed" for name in survivors.keys() - missed}


def report(why):
    for name in sorted(why, key=natural):
        print(f"FAILED  {name}: {why[name]}")
    return 1 if why else 0


def summary(results):
    counts = [f"{[outcome for outcome, _ in results.values()].count(kind)} {kind}" for kind in KIND]
    return f"{len(results)} mutants: {', '.join(counts)}"


def cpu():
    used = os.times()
    return f"{used.children_user + used.children_system:.0f} s of CPU"


def compare(names, mutants, results):
    got = run({name: mutants[name] for name in names})
    why = {}
    for name in names:
        was, now = results[name][0], got[name][0]
        # On a slow machine one that lives may run out of time, too.
        if KIND[was] != KIND[now] or (now == "timeout" and was != now):
            why[name] = f"is {now}, and {was} in results.tsv"
    print(f"{summary(got)}; {cpu()}")
    return report(why)


def main(command, argument=None):
    mutants, results = listed(), read(RESULTS, 3) if RESULTS.exists() else {}
    if command == "--list":
        print(summary(results))
        return report(stale(mutants, results) | unexplained(results))
    if command in ("--rotate", "--shard"):
        if report(stale(mutants, results) | unexplained(results)):
            return 1
        names = sorted(mutants, key=natural)
        if command == "--rotate":
            count = min(int(argument), len(names))
            first = int(time.time()) // 86400 * count
            names = [names[(first + at) % len(names)] for at in range(count)]
        else:
            part, parts = (int(number) for number in argument.split("/"))
            names = names[part - 1 :: parts]
        if not names:
            stop("no mutants")
        return compare(names, mutants, results)
    if command == "--all":
        names = set(mutants)
    elif command == "--stale":
        names = (stale(mutants, results) | unexplained(results)).keys() & mutants.keys()
    else:
        files = sys.argv[4:]
        names = {name for name, mutant in mutants.items() if mutant["file"] in files}
        if {mutants[name]["file"] for name in names} != set(files):
            stop("no mutants in one of " + ", ".join(files))
    results = {name: result for name, result in results.items() if name in mutants}
    results |= run({name: mutants[name] for name in mutants if name in names})
    write(results)
    print(f"{summary(results)}; {cpu()}")
    return report(unexplained(results))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[4:6]))
