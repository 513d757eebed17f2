#!/usr/bin/env python3
"""Measures which lines and branches of formats/ and preprocess/ their tests run: builds the preset `coverage` (gcc, no optimisation, no LibTorch),
runs the tests of these two rooms, of the fuzzers' corpus and of letterpress-preprocess, and counts by gcovr. Branches that only an exception takes
are left out: gcc adds one to nearly every call, and none stands in the code. A file that no test runs counts with all of its lines.

usage: scripts/proof/coverage.py [--counted] [--lines 95] [--branches 85] [--jobs 2] [--json FILE]
--counted: only counts what the last run of the tests has left in build/coverage."""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

from disturb import finish
from works import ROOT

PROMISE = "the tests of formats/ and preprocess/ run their lines and branches"
BUILD = ROOT / "build/coverage"
ROOMS = ("formats", "preprocess")
TESTS = ("tests/formats", "tests/preprocess", "tests/fuzz", "tests/tools/preprocess")
WORST = 10


def run(*words, check=True):
    """What would run in a process of its own is counted in this way only."""
    return subprocess.run([str(word) for word in words], cwd=ROOT, check=check, env={**os.environ, "LETTERPRESS_CONFINED": "0"})


def build_and_test(jobs):
    """Tests that fail are named by ctest; what they have run counts all the same. Returns the folders of such tests."""
    run("cmake", "--preset", "coverage")
    run("cmake", "--build", "--preset", "coverage", f"-j{jobs}", "--target", *(f"{folder}/all" for folder in TESTS))
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    return [folder for folder in TESTS
            if run("ctest", "--test-dir", BUILD / folder, f"-j{jobs}", "--output-on-failure", check=False).returncode != 0]


def counted(jobs):
    """What gcovr says of each file."""
    out = BUILD / "coverage.json"
    run(sys.executable, "-m", "gcovr", "--root", ROOT, "--object-directory", BUILD, *(f"--filter={ROOT / room}/" for room in ROOMS),
        "--exclude-throw-branches", "--merge-mode-functions=merge-use-line-min", "--gcov-ignore-parse-errors=negative_hits.warn_once_per_file",
        f"-j{jobs}", "--json-summary", out, BUILD)
    return json.loads(out.read_text())["files"]


def percent(part, whole):
    return round(100 * part / whole, 1) if whole else 100.0


def counts_of_rooms(files):
    rooms = {room: collections.Counter() for room in ROOMS}
    for file in files:
        for name in ("line_total", "line_covered", "branch_total", "branch_covered"):
            rooms[file["filename"].split("/")[0]][name] += file[name]
    return rooms


def judge(rooms, bars):
    works = {}
    for room, counts in rooms.items():
        work = works[room] = {"cases": counts["line_total"], "of": counts["line_total"], "outcomes": dict(counts), "wrong": []}
        for kind, bar in bars.items():
            share = work[f"{kind}_percent"] = percent(counts[f"{kind}_covered"], counts[f"{kind}_total"])
            if share < bar:
                work["wrong"].append([f"{kind} coverage", f"{share} %, must be {bar} % or more"])
                print(f"{room}: {kind} coverage: {work['wrong'][-1][1]}")
    return works


def worst(files, kind):
    """The files that miss most."""
    missing = sorted(files, key=lambda file: file[f"{kind}_covered"] - file[f"{kind}_total"])
    return {file["filename"]: f"{file[f'{kind}_covered']} of {file[f'{kind}_total']}" for file in missing[:WORST]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--counted", action="store_true")
    parser.add_argument("--lines", type=float, default=95)
    parser.add_argument("--branches", type=float, default=85)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    failed = [] if options.counted else build_and_test(options.jobs)
    files = counted(options.jobs)
    works = judge(counts_of_rooms(files), {"line": options.lines, "branch": options.branches})
    for folder in failed:
        works["formats" if folder == TESTS[0] else "preprocess"]["wrong"].append([folder, "tests fail"])
    most = {f"{kinds} that are not run": worst(files, kind) for kind, kinds in (("line", "lines"), ("branch", "branches"))}
    print(json.dumps(most, indent=1))
    summary = "; ".join(f"{room}: {work['line_percent']} % of {work['cases']:,} lines, {work['branch_percent']} % of "
                        f"{work['outcomes']['branch_total']:,} branches, those of exceptions left out" for room, work in works.items())
    return finish(options, PROMISE, works, "lines", summary, most)


if __name__ == "__main__":
    raise SystemExit(main())
