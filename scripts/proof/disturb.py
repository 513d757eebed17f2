"""The loop of the proofs that disturb one call after the other: every case of every work, in parallel, going on where it was stopped."""
import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

from works import ROOT, WORKS, Files, Reader, Wrong

SAVE_EVERY = 20
TOLD = ("rounds", "states", "every", "finish-every", "seed", "histories", "lines", "branches")  # flags that a result names


def common_arguments(usage):
    parser = argparse.ArgumentParser(usage=usage.split("usage: ")[1])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/ci/bin")
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build/ci/tests/libletterpress_faults.so")
    parser.add_argument("--state", type=pathlib.Path, help="file that says what is done already")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="for the page: scripts/proof/results/NAME.json")
    return parser


def arguments(usage, works=WORKS):
    """Of a proof that disturbs commands."""
    parser = common_arguments(usage)
    parser.add_argument("--works", nargs="*", help="only these: " + ", ".join(f"'{work.name}'" for work in works))
    parser.add_argument("--every", type=int, default=1, help="only every Nth case")
    return parser


class Prepared:
    """A work's folder before, and what an undisturbed run makes of it."""

    def __init__(self, work, files, base, reader, calls):
        self.work, self.base = work, base
        shutil.rmtree(base, ignore_errors=True)
        files.make_writable()
        shutil.rmtree(files.run, ignore_errors=True)
        files.run.mkdir(parents=True)
        work.prepare(files)
        shutil.copytree(files.run, base)
        self.before = work.seen(files, reader)
        result, self.calls = files.watch(work.command(files), calls)
        if result.returncode != 0:
            raise Wrong(f"{work.name}: undisturbed: exit {result.returncode}: {result.stderr}")
        self.between = work.seen(files, reader)
        work.go_on(files)
        self.after, self.left = work.seen(files, reader), work.left(files)

    def check_seen(self, files, reader):
        """Old or new, and whole."""
        seen = self.work.seen(files, reader)
        if seen not in (self.before, self.between):
            raise Wrong(f"a reader sees neither the old nor the new state, but: {seen[:200]}")
        return "new" if seen == self.between != self.before else "old"

    def check_finished(self, files, reader):
        """The next run, and all it leaves. Returns how many rows of finished shards it used."""
        resumed = self.work.finish(files)
        if self.work.seen(files, reader) != self.after:
            raise Wrong("the next run publishes another state than an undisturbed one")
        left = self.work.left(files)
        odd = sorted(name for name in left.keys() | self.left.keys() if left.get(name) != self.left.get(name))
        if odd:
            raise Wrong("the next run leaves other files than an undisturbed one: " + ", ".join(odd[:5]))
        return resumed


class Places:
    """A folder for each thread, with what it has prepared: stores name their inputs, so they differ between the folders."""

    def __init__(self, options, folder, calls):
        self.options, self.folder, self.calls = options, pathlib.Path(folder), calls
        self.own = threading.local()

    def files(self):
        if not hasattr(self.own, "files"):
            self.own.files = Files(self.folder / str(threading.get_ident()), self.options.bin.resolve(), self.options.library.resolve())
            self.own.files.draw()
            self.own.reader, self.own.prepared = Reader(), {}
        return self.own.files

    def prepared(self, work):
        files = self.files()
        if work.name not in self.own.prepared:
            base = files.folder / f"base {len(self.own.prepared)}"
            self.own.prepared[work.name] = Prepared(work, files, base, self.own.reader, self.calls)
        return self.own.prepared[work.name]

    def check(self, work, case, check):
        try:
            return check(self.prepared(work), self.files(), self.own.reader, case)
        except Wrong as wrong:
            return wrong


def disturb(options, calls, cases_of, check, works=WORKS):
    """Runs check(prepared, files, reader, case) -> outcome for every case of every one of `works`; returns {work: {"calls", "cases", "outcomes",
    "wrong": [[case, text]], ...}}. A case is a list that JSON can hold; an outcome is its name, or {name: how often}."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    done = json.loads(options.state.read_text()) if options.state and options.state.exists() else {}
    chosen = [work for work in works if not options.works or work.name in options.works]
    in_memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="proof-", dir=in_memory if in_memory.is_dir() else None) as folder:
        places = Places(options, folder, calls)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                for work in chosen:
                    disturb_one(work, places, pool, cases_of, check, done)
            except KeyboardInterrupt:
                for stop in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(stop, signal.SIG_IGN)
                pool.shutdown(cancel_futures=True)
                print("stopped; --state goes on from here", flush=True)
    return {work.name: done[work.name] for work in chosen if done.get(work.name, {}).get("cases")}


def disturb_one(work, places, pool, cases_of, check, done):
    prepared = places.prepared(work)
    cases = cases_of(prepared)[:: places.options.every]
    mine = done.setdefault(work.name, {"outcomes": {}, "wrong": [], "cases": 0})
    mine["calls"], mine["of"] = len(prepared.calls), len(cases)
    while mine["cases"] < len(cases):
        part = cases[mine["cases"] : mine["cases"] + SAVE_EVERY]
        outcomes = collections.Counter(mine["outcomes"])
        for case, outcome in zip(part, pool.map(lambda case: places.check(work, case, check), part)):
            outcomes.update(outcome if isinstance(outcome, dict) else ["wrong" if isinstance(outcome, Wrong) else outcome])
            if isinstance(outcome, Wrong):
                mine["wrong"].append([case, str(outcome)])
                print(f"{work.name}: {case}: {outcome}", flush=True)
        mine["outcomes"], mine["cases"] = dict(outcomes), mine["cases"] + len(part)
        if places.options.state:
            places.options.state.write_text(json.dumps(done))
    print(f"{work.name}: {mine['calls']} calls, {mine['cases']} cases: {mine['outcomes']}", flush=True)


def commit():
    """With "-dirty" where files are not as they are there, results left out."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!scripts/proof/results", ":!docs")
    return git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def finish(options, promise, works, things, summary="", more=None):
    """The end of a proof: its last line, its result for the page, its exit code. `things`: what was tried; `summary`: for the page, where
    the counts of each work would say less; `more`: what else the result has."""
    if options.json:
        write_result(options, promise, works, summary, more)
    wrong = sum(len(work["wrong"]) for work in works.values())
    print(f"{sum(work['cases'] for work in works.values())} {things}, {wrong} with another outcome than promised")
    return 1 if wrong else 0


def write_result(options, promise, works, summary="", more=None):
    """What scripts/proof/readme.py makes a row of docs/reliability.md from."""
    words = [word for word in sys.argv[1:] if word.startswith(("--killed", "--without", *(f"--{name}" for name in TOLD)))]
    for name in TOLD:
        if f"--{name}" in words:
            words[words.index(f"--{name}")] = f"--{name} {getattr(options, name.replace('-', '_'))}"
    result = {"promise": promise, "proof": " ".join(["scripts/proof/" + pathlib.Path(sys.argv[0]).name, *words]),
              "date": datetime.date.today().isoformat(), "commit": commit(), "works": works}
    if summary:
        result["summary"] = summary
    options.json.parent.mkdir(exist_ok=True)
    options.json.write_text(json.dumps(result | (more or {}), indent=1) + "\n")
