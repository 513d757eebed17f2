#!/usr/bin/env python3
"""Lets two builds, a garbage collection, `verify --deep` and a reader that uses HDF5 alone run at the same time on one store, round after round,
each round with changed inputs. One build publishes at most; what the snapshot of the round's beginning names stays whole for those who read
it, as gc keeps two; and afterwards the store holds what the model of histories.py says. Where namespaces can be made (root on Linux), one of the
builds and gc may be another host's, which has the store mounted elsewhere; and a training of that host runs meanwhile, whose snapshot stays until the
training is at its end, or killed and its pin's lease over.
usage: scripts/proof/overlap.py [--rounds 1000] [--seed 1] [--bin build/ci/bin] [--library FILE] [--state FILE] [--json FILE]
Rounds go on from --state with their numbers, on a new store."""
import concurrent.futures
import json
import os
import random
import tempfile

import h5py
from disturb import common_arguments, finish
from history_steps import History
from history_world import DAY_S, World
from overlap_hosts import OtherHost, Training
from works import Wrong, existing_library

PROMISE = "builds, gc, verify and readers at the same time see whole snapshots, and one build publishes"
CHANGES = ("add", "add", "add", "edit", "edit_quietly", "rename", "move", "relabel", "remove", "views")
BUSY, A_STORE = 75, 60  # rounds of one store
TRAINED = (4, 44)  # rounds of a store between which there is a training


def read_alone(world, snapshot):
    """What a program in another language does: no lock, no pin. Returns how many rows it has read."""
    rows = 0
    for shard in snapshot["shards"]:
        with h5py.File(world.store / "shards" / f"{shard['digest']}.h5", "r") as file:
            rows += len(file["images"][()])
    if rows != sum(shard["rows"] for shard in snapshot["shards"]):
        raise Wrong(f"a reader finds {rows} rows")
    return rows


def at_once(world, inputs, before, somewhere):
    """All of them. somewhere(words): these, on one host or the other. Returns the results of the builds."""
    build = world.words("build", inputs)
    gc = somewhere(world.preprocess("gc", "--store", world.store, "--keep", 2, "--older-than", 0))
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        builds = [pool.submit(world.run, words) for words in (build, somewhere(build))]
        collecting = pool.submit(world.run, gc)
        if before:
            verifying = pool.submit(world.run, world.preprocess("verify", "--deep", "--store", world.store, "--snapshot", before["generation"]))
            reading = pool.submit(read_alone, world, before)
            if verifying.result().returncode != 0:
                raise Wrong(f"verify: exit {verifying.result().returncode}: {verifying.result().stderr.strip()}")
            reading.result()
        if collecting.result().returncode not in (0, BUSY, 66, 78):
            raise Wrong(f"gc: exit {collecting.result().returncode}: {collecting.result().stderr.strip()}")
        if collecting.result().returncode in (66, 78) and before:
            raise Wrong(f"gc of a store that is there: {collecting.result().stderr.strip()}")
        return [result.result() for result in builds], collecting.result().returncode


def overlap(history, host, rng):
    """One round. Returns how the processes ended: "0 75, gc 0"."""
    world = history.world
    for kind in (changes := rng.choices(CHANGES, k=rng.randint(1, 3))):
        getattr(history, kind)(*(rng.randrange(1 << 12) for _ in range(3)))
    world.write_labels(history.inputs)
    before = world.newest()
    somewhere = (lambda words: host.words(words, world.store)) if host.is_there and world.store.exists() and rng.random() < 0.5 else (lambda words: words)
    builds, collected = at_once(world, history.inputs, before, somewhere)
    there = world.generations()
    if before and before["generation"] not in there:
        raise Wrong(f"gc has removed snapshot {before['generation']} of {sorted(there)}")
    history.snapshots = {number: text for number, text in history.snapshots.items() if number in there}
    history.whole &= history.snapshots.keys()
    codes = sorted(result.returncode for result in builds)
    if codes == [BUSY, BUSY]:  # gc had the lock
        builds = [world.run(world.words("build", history.inputs))]
    try:
        history.check_built(builds)
    except Wrong as wrong:
        raise Wrong(f"{', '.join(changes)}; exit {codes}, gc {collected}: {wrong}") from wrong
    return f"{codes[0]} {codes[1]}, gc {collected}"


class Rounds:
    """On one store after the other; `at` counts those of one store."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.host = OtherHost(folder)
        self.trains = self.host.is_there and (options.bin / "letterpress-trainer").exists()
        self.history = self.training = None
        self.at = self.trainings = 0

    def begin(self):
        self.history = History(World(self.folder, self.options.bin, self.options.library), 0, {})
        self.history.world.clock_s = 30 * DAY_S  # or gc finds every snapshot too young
        self.history.add(0, 0, 9)
        self.at = 0

    def go(self, number):
        if self.history is None or self.at == A_STORE:
            self.begin()
        outcome = overlap(self.history, self.host, random.Random(f"{self.options.seed} {number}"))
        if self.training:
            self.training.check()
        if self.trains and not self.training and self.at in range(*TRAINED) and self.has_train_pictures():
            self.training = Training(self.history.world, self.host)
            self.history.pins = 1
        self.at += 1
        if self.training and (self.at == TRAINED[1] or number + 1 == self.options.rounds):
            training, self.training, self.history.pins = self.training, None, 0
            training.stop(by_kill=number // A_STORE % 2 == 0)
            self.trainings += 1
        return outcome

    def has_train_pictures(self):
        newest = self.history.world.newest()
        return newest and any(shard["split"] == "train" for shard in newest["shards"])

    def abandon(self):
        """After a finding, and at the end."""
        if self.training:
            self.training.kill()
        self.history = self.training = None


def go_on(rounds, done):
    """By one round."""
    try:
        outcome = rounds.go(done["cases"])
    except Wrong as wrong:
        outcome = "wrong"
        rounds.abandon()
        done["wrong"].append([done["cases"], str(wrong)])
        print(f"round {done['cases']}: {wrong}", flush=True)
    done["outcomes"][outcome] = done["outcomes"].get(outcome, 0) + 1
    done["cases"] += 1


def run(options, folder):
    done = {"outcomes": {}, "wrong": [], "cases": 0, "of": options.rounds, "trainings": 0}
    if options.state and options.state.exists():
        done |= {**json.loads(options.state.read_text()), "of": options.rounds}
    rounds, trained = Rounds(options, folder), done["trainings"]
    if not rounds.trains:
        print("no other host and no training: that takes the right to make namespaces, and letterpress-trainer", flush=True)
    try:
        while done["cases"] < options.rounds:
            go_on(rounds, done)
            done["trainings"] = trained + rounds.trainings
            if options.state:
                options.state.write_text(json.dumps(done))
    finally:
        rounds.abandon()
    return {"rounds": done}


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.library = existing_library(options.library)
    with tempfile.TemporaryDirectory(prefix="overlap-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        works = run(options, folder)
    ends = ", ".join(f"{n} times {outcome}" for outcome, n in sorted(works["rounds"]["outcomes"].items()))
    return finish(options, PROMISE, works, "rounds", f"{works['rounds']['cases']:,} rounds of two builds, gc, verify and a reader, {works['rounds']['trainings']} trainings of another host beside them; exit codes {ends}")


if __name__ == "__main__":
    raise SystemExit(main())
