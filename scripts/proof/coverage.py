#!/usr/bin/env python3
"""Measures which lines and branches of formats/ and preprocess/ their tests run: builds the preset `coverage` (clang's source-based coverage, no
LibTorch), runs the tests of these two rooms, of the fuzzers' corpus and of letterpress-preprocess, and counts by llvm-cov. A branch is a condition
that the code states, and counts twice: taken and not taken. What a test or the program links and no test runs counts with all of its lines. Counts are written while a program
runs, so that those of one that is killed are there, too.

usage: scripts/proof/coverage.py [--counted] [--lines 95] [--branches 85] [--jobs 2] [--json FILE]
--counted: only counts what the last run of the tests has left in build/coverage."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess

from disturb import finish
from works import ROOT

PROMISE = "the tests of formats/ and preprocess/ run their lines and branches"
BUILD = ROOT / "build/coverage"
COUNTS = BUILD / "counts"
ROOMS = ("formats", "preprocess")
TESTS = ("tests/formats", "tests/preprocess", "tests/fuzz", "tests/tools/preprocess")
KINDS = ("lines", "branches")
LLVM = "-16"  # of the compiler that the preset names
WORST = 10


def run(*words, check=True, **environment):
    return subprocess.run([str(word) for word in words], cwd=ROOT, check=check, env={**os.environ, **environment})


def build_and_test(jobs):
    """Tests that fail are named by ctest; what they have run counts all the same. Returns the folders of such tests."""
    run("cmake", "--preset", "coverage")
    run("cmake", "--build", "--preset", "coverage", f"-j{jobs}", "--target", *(f"{folder}/all" for folder in TESTS))
    shutil.rmtree(COUNTS, ignore_errors=True)
    COUNTS.mkdir()
    return [folder for folder in TESTS if not passes(folder, jobs)]


def passes(folder, jobs):
    """%c: counts are written while the program runs; %m: those of one program are added up in one file. A process of its own for Keras' files
    could open no file, so these are read in that of the test."""
    return run("ctest", "--test-dir", BUILD / folder, f"-j{jobs}", "--output-on-failure", check=False,
               LLVM_PROFILE_FILE=f"{COUNTS}/%c%m.profraw", LETTERPRESS_CONFINED="0").returncode == 0


def counted():
    """{path: {"lines": {"count", "covered"}, "branches": ...}} of each file in the rooms, as llvm-cov says."""
    merged = BUILD / "counts.profdata"
    run(f"llvm-profdata{LLVM}", "merge", "-sparse", "-o", merged, *COUNTS.glob("*.profraw"))
    programs = sorted(path for folder in ("bin", "tests") for path in (BUILD / folder).iterdir() if path.is_file() and os.access(path, os.X_OK))
    first, *others = [word for path in programs for word in ("-object", path)][1:]
    told = subprocess.run([f"llvm-cov{LLVM}", "export", "-summary-only", f"-instr-profile={merged}", first, *others],
                          capture_output=True, check=True)
    files = json.loads(told.stdout)["data"][0]["files"]
    named = {os.path.relpath(file["filename"], ROOT): file["summary"] for file in files}
    return {name: summary for name, summary in named.items() if name.split("/")[0] in ROOMS}


def counts_of(files, room, kind):
    of_room = [summary[kind] for name, summary in files.items() if name.split("/")[0] == room]
    return sum(counts["covered"] for counts in of_room), sum(counts["count"] for counts in of_room)


def judge(files, bars):
    works = {}
    for room in ROOMS:
        work = works[room] = {"outcomes": {}, "wrong": []}
        for kind, bar in bars.items():
            covered, of = counts_of(files, room, kind)
            share = work[f"{kind}_percent"] = round(100 * covered / of, 1)
            work["outcomes"] |= {kind: of, f"{kind} that are run": covered}
            if share < bar:
                work["wrong"].append([kind, f"{share} % are run, must be {bar} % or more"])
                print(f"{room}: {kind}: {work['wrong'][-1][1]}")
        work["cases"] = work["of"] = work["outcomes"]["lines"]
    return works


def worst(files, kind):
    """The files that miss most."""
    missing = sorted(files, key=lambda name: files[name][kind]["covered"] - files[name][kind]["count"])
    return {name: f"{files[name][kind]['covered']} of {files[name][kind]['count']}" for name in missing[:WORST]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--counted", action="store_true")
    parser.add_argument("--lines", type=float, default=95)
    parser.add_argument("--branches", type=float, default=85)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    failed = [] if options.counted else build_and_test(options.jobs)
    files = counted()
    works = judge(files, {kind: getattr(options, kind) for kind in KINDS})
    for folder in failed:
        works["formats" if folder == TESTS[0] else "preprocess"]["wrong"].append([folder, "tests fail"])
    most = {f"{kind} that are not run": worst(files, kind) for kind in KINDS}
    print(json.dumps(most, indent=1))
    summary = "; ".join(f"{room}: {work['lines_percent']} % of {work['outcomes']['lines']:,} lines, {work['branches_percent']} % of "
                        f"{work['outcomes']['branches']:,} branches" for room, work in works.items())
    return finish(options, PROMISE, works, "lines", summary, {f"most {name}": those for name, those in most.items()})


if __name__ == "__main__":
    raise SystemExit(main())
