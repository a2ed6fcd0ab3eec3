"""Prints the coverage of `src/` and holds what is uncovered against the list.

    report.py REGIONS.json LINES.lcov ROOT LIST

The two reports are what `llvm-cov export` writes, as text and as lcov.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

CODE = 0  # The other kinds of region are no code.
OPEN, CLOSE = "«", "»"


def test_lines(text):
    """The numbers of the lines that are compiled for tests only, in source as rustfmt has it."""
    found, end = set(), None
    for number, line in enumerate(text, 1):
        if line.strip() == "#[cfg(test)]" and end is None:
            end = line.replace("#[cfg(test)]", "}")
            first = number + 1
        if end is not None:
            found.add(number)
            if line.strip().startswith("#["):
                first = number + 1
            elif line == end or (number == first and line.endswith(";")):
                end = None
    return found


class Source:
    """One file, and how often each of its regions and lines ran."""

    def __init__(self, path, name):
        self.name = name
        self.text = path.read_text().splitlines()
        self.tests = test_lines(self.text)
        self.regions = {}
        self.lines = {}

    def add_region(self, place, count):
        """Whichever instance of a generic function, in whichever build of the crate, ran it."""
        if place[0] not in self.tests:
            self.regions[place] = max(count, self.regions.get(place, 0))

    def add_line(self, number, count):
        if number not in self.tests:
            self.lines[number] = count

    def marked(self):
        """The outermost regions that did not run though some of each of their lines did, as columns by line."""
        marked = {}
        missed = [place for place, count in self.regions.items() if count == 0]
        for place in missed:
            first, start, last, end = place
            is_inner = any(other != place and other[:2] <= place[:2] and place[2:] <= other[2:] for other in missed)
            if not is_inner and all(self.lines.get(line) != 0 for line in range(first, last + 1)):
                end = end - 1 if last == first else len(self.text[first - 1])
                marked.setdefault(first, []).append((start - 1, end))
        return marked

    def uncovered(self):
        """What did not run, as line number and entry."""
        seen, marked, before = Counter(), self.marked(), 1
        for number, line in enumerate(self.text, 1):
            count = self.lines.get(number)
            is_end = re.fullmatch(r" *[)}\];,]+", line)
            # A bracket that only closes goes with the line before it.
            if number in marked or (count == 0 and not (is_end and before == 0)):
                shown = line
                for start, end in sorted(marked.get(number, []), reverse=True):
                    shown = shown[:start] + OPEN + shown[start:end] + CLOSE + shown[end:]
                entry = f"{self.name}: {self.begin(number) if is_end else ''}{shown.strip()}"
                seen[entry] += 1
                yield number, entry if seen[entry] == 1 else f"{entry} #{seen[entry]}"
            before = before if count is None else count

    def begin(self, end):
        """What the bracket that closes in this line belongs to."""
        indent = re.match(" *", self.text[end - 1])[0]
        begins = (line for line in self.text[end - 2 :: -1] if re.match(rf"{indent}[^ )}}\]]", line))
        return f"{next(begins, '').strip()} … "


def read_list(path):
    """The reason of each entry; those that stand directly below each other share the one that is indented below."""
    reasons, sharing, reason = {}, [], ""
    for line in [*path.read_text().splitlines(), ""]:
        if line.startswith(" "):
            reason = f"{reason} {line.strip()}".strip()
            continue
        if reason or not line:
            reasons.update(dict.fromkeys(sharing, reason))
            sharing, reason = [], ""
        if line and not line.startswith("#"):
            if line in reasons or line in sharing:
                sys.exit(f"{path}: twice: {line}")
            sharing.append(line)
    return reasons


def read_sources(regions, lines, root):
    sources = {}

    def source(path):
        name = path.removeprefix(f"{root}/")
        if not re.match("src/.*[.]rs$", name) or re.search("/tests/|tests[.]rs$", name):
            return None
        if name not in sources:
            sources[name] = Source(root / name, name)
        return sources[name]

    for function in json.loads(regions.read_text())["data"][0]["functions"]:
        for *place, count, file, _, kind in function["regions"]:
            if kind == CODE and (found := source(function["filenames"][file])):
                found.add_region(tuple(place), count)
    for line in lines.read_text().splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            found = source(value)
        elif key == "DA" and found:
            found.add_line(*map(int, value.split(",")[:2]))
    return [sources[name] for name in sorted(sources)]


def main(regions, lines, root, listed):
    reasons = read_list(listed)
    sources = read_sources(regions, lines, root)

    total = Counter()
    row = "{:<20}{:>8}{:>8}{:>9}{:>9}{:>8}{:>9}".format
    print(row("", "lines", "not", "covered", "regions", "not", "covered"))
    for source in [*sources, None]:
        if source:
            counts = [source.lines.values(), source.regions.values()]
            figures = [figure for of in counts for figure in (len(of), sum(count == 0 for count in of))]
            total.update(dict(enumerate(figures)))
        else:
            figures = list(total.values())
        share = [f"{100 - 100 * missed / of:.2f} %" for of, missed in (figures[:2], figures[2:])]
        print(row(source.name if source else "total", *figures[:2], share[0], *figures[2:], share[1]))

    passed = failed = 0
    print()
    for source in sources:
        for number, entry in source.uncovered():
            reason = reasons.pop(entry, "")
            passed, failed = passed + bool(reason), failed + (not reason)
            print(entry.replace(": ", f":{number}: ", 1), f"    {reason or 'NOT EXPLAINED'}", sep="\n")
    for entry in reasons:
        failed += 1
        print(entry, "    EXPLAINED, BUT COVERED OR GONE", sep="\n")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main(*map(Path, sys.argv[1:])))
