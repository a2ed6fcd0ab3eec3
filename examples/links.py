#!/usr/bin/env python3
"""Says which relative links and file names in the pages lead nowhere."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
# `examples/x/run.sh`, or `x/y.rs` beside the page.
NAMED = re.compile(r"`((?:\.\./)*[\w.-]+(?:/[\w.-]+)+)`")
KINDS = (".md", ".rs", ".sh", ".py", ".sql", ".lua", ".h", ".tsv", ".txt", ".mjs", ".c", ".toml")


def broken():
    for page in sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("*/*.md")) + sorted(ROOT.glob("*/*/*.md")):
        if "target" in page.parts:
            continue
        text = page.read_text()
        for name in LINK.findall(text) + [name for name in NAMED.findall(text) if name.endswith(KINDS)]:
            if not any((start / name).exists() for start in (page.parent, ROOT, page.parent / "src")):
                yield f"{page.relative_to(ROOT)}: {name}"


found = list(broken())
sys.exit("\n".join(found) if found else 0)
