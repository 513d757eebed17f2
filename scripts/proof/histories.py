#!/usr/bin/env python3
"""Lives through random histories of a store, each given by its seed: pictures come, are edited (also in place, with size and time kept),
renamed, moved between splits, labelled anew, lost and damaged; classes are renamed; clocks step; builds are killed, run two at a time, or as
plan, map and reduce with parts lost, repeated and out of order; disks are unmounted; garbage is collected. After each step the store must hold
what a model says that was written from README and docs (history_model.py). A history that fails is shrunk to a minimal one.
usage: scripts/proof/histories.py [--histories 1000] [--seed 1] [--replay JSON] [--bin build/ci/bin] [--library FILE] [--state FILE]
       [--jobs N] [--json FILE]
History number i of seed s has the seed s + i. --replay runs the steps that a failure has printed."""
import json
import multiprocessing
import os
import pathlib
import random
import signal
import tempfile
import time

from disturb import common_arguments, finish
from history_changes import SHARES
from history_steps import History
from history_world import World
from works import Wrong, existing_library

PROMISE = "after any history of a store it holds what a model says that was written from the docs"
LENGTH = (6, 18)
SAVE_EVERY = 50
CHANGES = ("add", "add", "add", "edit", "edit_quietly", "rename", "move", "relabel", "relabel", "rename_class", "remove", "lose", "cut", "views", "share")
RUNS = ("build", "build", "build_again", "build_twice_at_once", "kill", "kill", "parts", "abandon", "unmount", "gc", "damage", "clock")


def drawn(seed):
    """[share, [kind, a, b, c], ...]"""
    rng = random.Random(seed)
    steps = [rng.choice((0, 0, *SHARES))]
    for at in range(rng.randint(*LENGTH)):
        kind = rng.choice(CHANGES if at < 3 or rng.random() < 0.55 else RUNS)
        steps.append(["add" if at < 2 else kind, *(rng.randrange(1 << 12) for _ in range(3))])
    return steps


def live(world, steps, digests):
    """Returns what is wrong, or ""."""
    history = History(world, steps[0], digests)
    for at, (kind, *numbers) in enumerate(steps[1:]):
        try:
            getattr(history, kind)(*numbers)
        except Wrong as wrong:
            return f"step {at + 1}, {kind}: {wrong}"
    try:
        history.end()
    except Wrong as wrong:
        return f"the end: {wrong}"
    return ""


def shrunk(world, steps, digests):
    """Leaves out steps as long as the history fails without them."""
    at = len(steps) - 1
    while at >= 1:
        fewer = steps[:at] + steps[at + 1 :]
        if live(world, fewer, digests):
            steps = fewer
        at -= 1
    return steps


class Lives:
    """A process that lives through histories, one after the other."""

    def __init__(self, folder, options):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.world, self.digests = World(pathlib.Path(folder) / str(os.getpid()), options.bin, options.library), {}

    def live(self, seed):
        steps = drawn(seed)
        kinds, wrong = [step[0] for step in steps[1:]], live(self.world, steps, self.digests)
        if not wrong:
            return seed, kinds, "", []
        fewer = shrunk(self.world, steps, self.digests)
        again = live(self.world, fewer, self.digests)
        return seed, kinds, again or f"{wrong} (once, and not again)", fewer if again else steps


def start(folder, options):
    global lives
    lives = Lives(folder, options)


def live_one(seed):
    return lives.live(seed)


def run(options, folder):
    done = {"outcomes": {}, "wrong": [], "cases": 0, "seconds": 0}
    if options.state and options.state.exists():
        done = json.loads(options.state.read_text())
    done["of"] = options.histories
    began, before = time.monotonic(), done["seconds"]
    with multiprocessing.get_context("fork").Pool(options.jobs, start, (folder, options)) as pool:
        seeds = range(options.seed + done["cases"], options.seed + options.histories)
        for seed, kinds, wrong, steps in pool.imap(live_one, seeds):
            for kind in kinds:
                done["outcomes"][kind] = done["outcomes"].get(kind, 0) + 1
            if wrong:
                done["wrong"].append([[seed, steps], wrong])
                print(f"seed {seed}: {wrong}\n  --replay '{json.dumps(steps)}'", flush=True)
            done["cases"] += 1
            done["seconds"] = round(before + time.monotonic() - began)
            if options.state and (done["cases"] % SAVE_EVERY == 0 or done["cases"] == options.histories):
                options.state.write_text(json.dumps(done))
    return {"histories": done}


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=json.loads, help="steps of a failure")
    options = parser.parse_args()
    options.library = existing_library(options.library)
    with tempfile.TemporaryDirectory(prefix="histories-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        if options.replay:
            wrong = live(World(folder, options.bin, options.library), options.replay, {})
            print(wrong or "as the model says")
            return 1 if wrong else 0
        works = run(options, folder)
        steps = sum(works["histories"]["outcomes"].values())
        return finish(options, PROMISE, works, "histories", f"{works['histories']['cases']:,} histories of {steps:,} steps")


if __name__ == "__main__":
    raise SystemExit(main())
