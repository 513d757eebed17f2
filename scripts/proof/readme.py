#!/usr/bin/env python3
"""Writes tables from scripts/proof/results/*.json, each between its markers: into docs/reliability.md the proofs and what resources.py has measured,
into docs/reference/pixels.md what decoders.py has. Nothing there is typed.

usage: scripts/proof/readme.py [--check]

--check changes nothing and fails when a table is not what the results say.
"""
import collections
import json
import pathlib
import re
import sys

from resources import tables as resource_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import markers  # noqa: E402

RESULTS = ROOT / "scripts/proof/results"
# {result: the script that makes it, and its promise there}: what has no result stands on the page as not run.
PROOFS = {name: (name, "PROMISE") for name in ("bombs", "coverage", "export_agreement", "fail_every_call", "flipped_bits", "fuzz", "histories",
                                               "import_agreement", "kill_at_every_call", "one_set_of_pixels", "overlap", "parser_coverage", "power_loss", "promise", "ranks", "resources", "untrusted")}
PROOFS |= {"power_loss_killed": ("power_loss", "PROMISE_KILLED"), "power_loss_without_sync": ("power_loss", "PROMISE_WITHOUT")}
RELIABILITY, PIXELS = ROOT / "docs/reliability.md", ROOT / "docs/reference/pixels.md"


def counts(result):
    """What was tried, over all works, and with what outcome."""
    works = result["works"]
    wrong = sum(len(work["wrong"]) for work in works.values())
    if "summary" in result:
        return f"{result['summary']}; **{wrong} failures**"
    outcomes = collections.Counter()
    for work in works.values():
        outcomes.update(work["outcomes"])
    parts = [f"{n:,} {outcome}" for outcome, n in sorted(outcomes.items()) if outcome != "wrong"]
    calls, cases, of = (sum(work[name] for work in works.values()) for name in ("calls", "cases", "of"))
    names = [name if work["cases"] == work["of"] else f"{name} ({work['cases']:,} of {work['of']:,})" for name, work in sorted(works.items())]
    return f"{'; '.join(names)}: {calls:,} calls, {cases:,} of {of:,} cases: {', '.join(parts)}; **{wrong} failures**"


def promise_of(name):
    script, constant = PROOFS[name]
    return re.search(rf'^{constant} = "(.*)"$', (ROOT / f"scripts/proof/{script}.py").read_text(), re.MULTILINE)[1]


def table():
    lines = ["| promise | proof | counts | date | commit |", "| --- | --- | --- | --- | --- |"]
    for name in sorted(PROOFS.keys() | {path.stem for path in RESULTS.glob("*.json")}):
        path = RESULTS / f"{name}.json"
        if not path.exists():
            lines.append(f"| {promise_of(name)} | `scripts/proof/{PROOFS[name][0]}.py` | not run | | |")
            continue
        result = json.loads(path.read_text())
        if "works" not in result:  # of another page
            continue
        lines.append(f"| {result['promise']} | `{result['proof']}` | {counts(result)} | {result['date']} | {result['commit']} |")
    return "\n".join(lines)


def resources():
    return resource_tables(json.loads((RESULTS / "resources.json").read_text()))


def decoders():
    """What other ways to make a frame cost."""
    result = json.loads((RESULTS / "decoders.json").read_text())
    lines = ["| frames | AP | AP50 |", "| --- | ---: | ---: |"]
    lines += [f"| {way['frames']} | {way['ap']:.4f} | {way['ap50']:.4f} |" for way in result["ways"]]
    return f"{result['of']}; {result['runtime']}, {result['date']}, commit {result['commit']}.\n\n" + "\n".join(lines)


def main():
    markers.write("scripts/proof/readme.py", {RELIABILITY: {"proofs": table(), "resources": resources()}, PIXELS: {"decoders": decoders()}})


if __name__ == "__main__":
    main()
