#!/usr/bin/env python3
"""What compares with what, from criterion's results: `benches/run.sh` calls it with the names of its rounds.

A ratio is taken within each round, in which both benchmarks ran within a second or two, and the median of the rounds is shown with
the least and the greatest. Times are medians of medians.
"""

import json
import pathlib
import statistics
import sys

SIZES = [1, 2, 4, 8, 16]
TEXTS = ["block", "proposal_10k", "nested_1m", "escapes_64k"]


def read(target, rounds):
    """Nanoseconds of each benchmark, round by round."""
    times = {}
    for about in sorted(target.glob("criterion/*/new/benchmark.json")):
        name = json.loads(about.read_text())["full_id"]
        found = [about.parent.parent / a_round / "estimates.json" for a_round in rounds]
        if all(path.exists() for path in found):
            times[name] = [json.loads(path.read_text())["median"]["point_estimate"] for path in found]
    return times


def show(nanoseconds):
    for unit, size in [("ms", 1e6), ("µs", 1e3)]:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}" if nanoseconds < 1e3 * size else f"{nanoseconds / size:.0f} {unit}"
    return f"{nanoseconds:.3g} ns"


class Table:
    def __init__(self, times):
        self.times = times

    def row(self, name, other, most, share=1):
        """`name` beside `share` of `other`."""
        ours, theirs = self.times[name], [share * time for time in self.times[other]]
        ratios = [a / b for a, b in zip(ours, theirs)]
        ratio = statistics.median(ratios)
        beside = other if share == 1 else f"{share:.3g} x {other}"
        print(
            f"| `{name}` | {show(statistics.median(ours))} | `{beside}` | {show(statistics.median(theirs))} "
            f"| {ratio:.3f} | {min(ratios):.3f} to {max(ratios):.3f} | {most:g} | {'yes' if ratio <= most else 'no'} |"
        )

    def print(self):
        print("| what | time | beside | time | ratio | rounds | goal, at most | met |")
        print("|---|---|---|---|---|---|---|---|")
        for blocks in SIZES:
            self.row(f"cold/{blocks}", f"floor/{blocks}", 1.05)
        for blocks in SIZES:
            self.row(f"cached/{blocks}", "cached_floor", 1.05)
        for blocks in SIZES:
            self.row(f"cached_by_token/{blocks}", f"cached/{blocks}", 1.05)
        self.row("evaluate/1", "cached_floor", 1, 1 / 200)
        self.row("refuse/stranger", "cached_floor", 1, 1 / 2)
        for text in TEXTS:
            self.row(f"canonical/{text}", f"serde_json/{text}", 1)
            self.row(f"canonical/{text}", f"serde_json_canonicalizer/{text}", 1, 1 / 3)
        for text in TEXTS:
            for order in ["", "_reversed"]:
                self.row(f"canonical_text/{text}{order}", f"serde_json_text/{text}{order}", 1)
                self.row(f"canonical_text/{text}{order}", f"serde_json_canonicalizer_text/{text}{order}", 1, 1 / 3)

    def fit(self, what, points):
        """The straight line through (size, benchmark), by least squares of the relative error."""
        points = [(size, statistics.median(self.times[name])) for size, name in points]
        weights = [1 / time**2 for _, time in points]
        total = sum(weights)
        x = sum(w * size for w, (size, _) in zip(weights, points)) / total
        y = sum(w * time for w, (_, time) in zip(weights, points)) / total
        slope = sum(w * (size - x) * (time - y) for w, (size, time) in zip(weights, points))
        slope /= sum(w * (size - x) ** 2 for w, (size, _) in zip(weights, points))
        start = y - slope * x
        worst = max(abs(time / (start + slope * size) - 1) for size, time in points)
        print(f"| {what} | {points[0][0]} to {points[-1][0]} | {show(start)} | {show(slope)} | {worst * 100:.1f} % |")

    def fits(self):
        print("| linear in | from .. to | start | each | farthest from the line |")
        print("|---|---|---|---|---|")
        for name in ["cold", "decode"]:
            self.fit(f"blocks, `{name}`", [(blocks, f"{name}/{blocks}") for blocks in SIZES])
        # Six caveats in the root, two in each delegation.
        self.fit("caveats, `evaluate`", [(4 + 2 * blocks, f"evaluate/{blocks}") for blocks in SIZES])
        sizes = sorted(int(name.removeprefix("bytes/")) for name in self.times if name.startswith("bytes/"))
        self.fit("bytes, `bytes`", [(size, f"bytes/{size}") for size in sizes])


def main():
    target, *rounds = sys.argv[1:]
    table = Table(read(pathlib.Path(target), rounds))
    table.print()
    print()
    table.fits()


main()
