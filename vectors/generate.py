"""Rebuilds the conformance vectors: `python3 vectors/generate.py`, or with `--check` tells whether they are up to date.

Everything is derived here, from the contract in README.md: keys, signatures, tokens and hashes by the plain Python
beside this file, and what each case expects by hand. Nothing is shared with the crate.
"""

import pathlib
import sys

import cases_authorize
import cases_auto
import cases_canonical
import cases_caveats
import cases_chain
import cases_commit
import cases_flow_claims
import cases_flow_spend
import cases_flow_stories
import cases_issue
import cases_keys
import cases_proof
import cases_proposal
import cases_routes_deliver
import cases_routes_redeem
import cases_terms
import cases_token
import cases_verbs
from book import Book

HERE = pathlib.Path(__file__).resolve().parent


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]")
        return 2
    book = Book()
    for module in (cases_canonical, cases_keys, cases_proof, cases_token, cases_chain, cases_caveats, cases_terms,
                   cases_proposal, cases_authorize, cases_commit, cases_verbs, cases_auto, cases_issue,
                   cases_flow_spend, cases_flow_claims, cases_flow_stories,
                   cases_routes_deliver, cases_routes_redeem):
        module.cases(book)
    faults = book.faults((HERE / "README.md").read_text(encoding="utf-8"))
    files = {name: text.encode("utf-8") for name, text in book.files().items()}
    present = {path.name: path.read_bytes() for path in sorted(HERE.glob("*.jsonl"))}
    if arguments:
        faults += ["%s is not what the generator makes" % name for name in sorted(set(files) | set(present))
                   if files.get(name) != present.get(name)]
    for fault in faults:
        print(fault)
    if faults:
        return 1
    if not arguments:
        for name in set(present) - set(files):
            (HERE / name).unlink()
        for name, data in files.items():
            (HERE / name).write_bytes(data)
    print("%d cases in %d files" % (len(book.names), len(files)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
