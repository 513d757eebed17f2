#!/usr/bin/env python3
"""Trains with several ranks, run after run, and lets something go wrong in each: a rank is killed, stopped or slowed, a row is damaged, a shard is cut
short, the store is lost while it is read, the disk of the run fills, or most pictures are without boxes; in a step, in validation or while a checkpoint
is written, as the seed draws it.
A run that cannot go on has to end within a minute of it, with the rank and the reason; the last checkpoint has to be whole; and --resume with another
number of ranks has to bring the run to its end.
usage: scripts/proof/ranks.py [--runs 500] [--seed 1] [--bin build/ci/bin] [--library FILE] [--state FILE] [--jobs N] [--json FILE]
--seed N --runs 1 repeats the run of that seed."""
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from disturb import common_arguments, finish
from works import ROOT, Wrong, existing_library, must_run

PROMISE = "whatever happens to a rank, its job ends within a minute with rank and reason, the last checkpoint is whole, and another number of ranks goes on"
FAULTS = ("killed", "stopped", "slowed", "damaged row", "cut shard", "lost store", "full disk", "few boxes")
AT_ONCE = ("damaged row", "cut shard", "full disk", "few boxes")  # from the run's start; the others come while it runs
LIMIT_S, EPOCHS, BATCH, TRAIN = 60, 6, 6, 18
AN_EPOCH_S = 1.0  # about: with its validation and its checkpoint
STEPS = EPOCHS * TRAIN // BATCH
DEADLINES = ("--rank-deadline", "8", "--read-deadline", "3")


class Bench:
    """A store of drawn pictures, and one whose pictures are mostly without boxes."""

    def __init__(self, folder, options):
        self.folder, self.options = pathlib.Path(folder), options
        drawn = self.folder / "set"
        subprocess.run([ROOT / "samples/draw.py", drawn, "--pictures", str(TRAIN * 4 // 3)], check=True, stdout=subprocess.DEVNULL)
        lines = [line for name in ("train", "val") for line in (drawn / f"{name}.txt").read_text().splitlines()]
        self.build("store", lines)
        self.build("few boxes", [line if i % 6 == 0 else line.split()[0] for i, line in enumerate(lines)])

    def build(self, store, lines):
        drawn = self.folder / "set"
        for name, part in (("train", lines[:TRAIN]), ("val", lines[TRAIN:])):
            (drawn / f"{store}-{name}.txt").write_text("\n".join(part) + "\n")
        must_run([self.options.bin / "letterpress-preprocess", "build", "--store", self.folder / store, "--input", drawn / f"{store}-train.txt", "--val",
                  drawn / f"{store}-val.txt", "--classes", drawn / "classes.txt", "--size", "64", "--views", "1", "--group", "none"])


class Run:
    """One training of several ranks, and what happens to it."""

    def __init__(self, bench, seed):
        self.bench, self.seed = bench, seed
        rng = random.Random(seed)
        self.fault, self.ranks = rng.choice(FAULTS), rng.randint(2, 3)
        self.victim, self.after = rng.randrange(self.ranks), rng.randrange(EPOCHS * 3 // 4)  # epochs
        self.delay_s, self.place = rng.uniform(0, AN_EPOCH_S), rng.random()
        self.checkpoints = ("--checkpoint-minutes", rng.choice(("0.0001", "10")))
        self.folder = bench.folder / f"run-{seed}"
        self.store, self.out = self.folder / "store", self.folder / "out"

    def words(self, *more):
        return [str(word) for word in (self.bench.options.bin / "letterpress-trainer", "fit", "--store", self.store, "--out", self.out, "--model", "yolov8n",
                                       "--batch", BATCH, "--epochs", EPOCHS, "--device", "cpu", "--threads", 1, "--log-every", 1, *self.checkpoints, *more)]

    def go(self):
        """What happened, in words."""
        source = self.bench.folder / ("few boxes" if self.fault == "few boxes" else "store")
        shutil.copytree(source, self.store)
        try:
            self.damage()
            code, told, seconds = self.train()
            outcome = self.check(code, told, seconds)
            shutil.rmtree(self.store, ignore_errors=True)
            shutil.copytree(source, self.store)
            self.resume()
            return outcome
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def damage(self):
        """What is wrong before the run begins."""
        if self.fault != "damaged row" and self.fault != "cut shard":
            return
        shard = max((self.store / "shards").iterdir(), key=lambda file: file.stat().st_size)  # of the train split
        shard.chmod(0o644)
        size = shard.stat().st_size
        with open(shard, "r+b") as file:
            if self.fault == "cut shard":
                file.truncate(size - 1 - int(self.place * (size // 2)))
                return
            file.seek(size // 4 + int(self.place * (size // 2)))  # pixels are in the middle
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))

    def train(self):
        """Exit code, standard error, seconds from the fault to the end."""
        surroundings = dict(os.environ)
        if self.fault == "full disk":
            surroundings |= {"LD_PRELOAD": str(self.bench.options.library), "LETTERPRESS_FAULTS_BELOW": str(self.out), "LETTERPRESS_FAULTS_CALLS": "changes",
                             "LETTERPRESS_FAULTS_AT": str(1 + int(self.place * 200)), "LETTERPRESS_FAULTS_HOW": "ENOSPC"}
        process = subprocess.Popen(self.words("--ranks", self.ranks, *DEADLINES), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=surroundings)
        watchdog = threading.Timer(20 * LIMIT_S, process.kill)
        watchdog.start()
        told, since, acted = [], time.monotonic(), False
        try:
            for line in process.stderr:
                told.append(line)
                found = re.search(r"memory: |epoch (\d+)/\d+: loss", line)
                if not acted and found and int(found[1] or 0) >= self.after:
                    time.sleep(self.delay_s)
                    acted, since = True, time.monotonic()
                    self.act(process.pid)
            code = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            watchdog.cancel()
        if not acted and self.fault not in AT_ONCE:
            raise Wrong(f"exit {code} before anything had happened: {''.join(told)[-1500:]}")
        return code, "".join(told), time.monotonic() - since

    def act(self, parent):
        if self.fault == "lost store":
            for shard in (self.store / "shards").iterdir():
                shard.chmod(0o644)
                os.truncate(shard, 0)
        if self.fault not in ("killed", "stopped", "slowed"):
            return
        victim = rank_processes(parent).get(str(self.victim))
        if victim is None:
            raise Wrong("no such rank any more")
        try:
            os.kill(victim, signal.SIGKILL if self.fault == "killed" else signal.SIGSTOP)
            if self.fault == "slowed":
                time.sleep(2)
                os.kill(victim, signal.SIGCONT)
        except ProcessLookupError:
            raise Wrong("the rank ended before it could be disturbed") from None

    def check(self, code, told, seconds):
        """The outcome in words. Raises Wrong where it is not what was promised."""
        named = f"rank {self.victim} of {self.ranks}"
        ways = {"killed": [(137, f"{named} was killed in step ")], "stopped": [(137, f"{named} hung in step ")],
                "damaged row": [(65, ".h5: row ")], "cut shard": [(65, ".h5"), (74, ".h5")], "lost store": [(65, ".h5"), (74, ".h5")],
                "full disk": [(74, str(self.out))]}.get(self.fault, [])
        if code == 0:
            if ways and self.fault != "full disk":  # which may be drawn for a change that never comes
                raise Wrong(f"exit 0, {self.fault}")
            self.check_finished()
            return f"{self.fault}: {'had ended before' if ways else 'went on to its end'}"
        if not any(code == wanted and text in told for wanted, text in ways):
            raise Wrong(f"exit {code}: {told[-1500:]}")
        if seconds > LIMIT_S:
            raise Wrong(f"ended after {seconds:.0f} s")
        return f"{self.fault}: ended with {code}"

    def check_finished(self):
        with open(self.out / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        if len(rows) != EPOCHS or not all(math.isfinite(float(row["loss"])) for row in rows):
            raise Wrong(f"results.csv has {rows}")

    def resume(self):
        """By another number of ranks; a checkpoint that is there has to be whole."""
        if (self.out / "last.safetensors").exists():
            must_run([self.bench.options.bin / "letterpress-trainer", "inspect", "--checkpoint", self.out / "last.safetensors"])
        ended = must_run(self.words("--resume", "--ranks", 5 - self.ranks if self.seed % 2 else 1, "--json")).stdout.strip().splitlines()
        if json.loads(ended[-1])["step"] != STEPS:
            raise Wrong(f"resumed, it ended at step {json.loads(ended[-1])['step']} of {STEPS}")
        self.check_finished()


def rank_processes(parent):
    """{rank: process} of the children of `parent`."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            its_parent = pathlib.Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[1]
            variables = pathlib.Path("/proc", name, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(its_parent) == parent:
            found |= {value[5:].decode(): int(name) for value in variables if value.startswith(b"RANK=")}
    return found


def attempt(bench, seed):
    try:
        return Run(bench, seed).go()
    except Wrong as wrong:
        return wrong


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.library = existing_library(options.library)
    done = json.loads(options.state.read_text()) if options.state and options.state.exists() else {"outcomes": {}, "wrong": [], "cases": 0}
    done["of"] = options.runs
    with tempfile.TemporaryDirectory(prefix="ranks-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        bench = Bench(folder, options)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            while done["cases"] < options.runs:
                seeds = range(options.seed + done["cases"], options.seed + min(done["cases"] + options.jobs, options.runs))
                for seed, outcome in zip(seeds, pool.map(lambda seed: attempt(bench, seed), seeds)):
                    if isinstance(outcome, Wrong):
                        print(f"seed {seed}: {outcome}", flush=True)
                        done["wrong"].append([seed, str(outcome)])
                        outcome = "wrong"
                    done["outcomes"][outcome] = done["outcomes"].get(outcome, 0) + 1
                    done["cases"] += 1
                if options.state:
                    options.state.write_text(json.dumps(done))
    ends = ", ".join(f"{n} times {outcome}" for outcome, n in sorted(done["outcomes"].items()))
    return finish(options, PROMISE, {"runs": done}, "runs", f"{done['cases']:,} runs of 2 or 3 ranks: {ends}")


if __name__ == "__main__":
    raise SystemExit(main())
