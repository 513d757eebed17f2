#!/usr/bin/env python3
"""Which learning rate and which frozen layers suit start weights: trains yolov8n from given weights and from scratch, all else at its defaults.

usage: scripts/study/finetune.py OUT --bccd BCCD [--other WEIGHTS] [--same RUN] [--arms ARM...] [--seeds 1] [--minutes 60] [--threads 1]

--other: weights of another set (DeepPCB's, say), fine-tuned on 60 pictures of BCCD's train list, 30 epochs. --same: a run on BCCD itself, which goes on
with its 277 pictures, as the nightly retraining does when few are new, 10 epochs. Both validate on BCCD's val list (87) at 256 pixels.
ARM: `scratch`, or flags of fit beside the start weights: "default", "lr=0.001", "lr=0.0004 freeze=backbone".
Each training is a cell of scripts/study/results/finetune.json, written when it ends: what is there is not done again, and what was stopped goes on from
its last checkpoint. `scripts/study/page.py` makes the page of it. Stores and runs lie in OUT.
"""
import argparse
import pathlib
import random
import sys

from cells import Cell, TimeBudget, curves_of, run, train_in_turn, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "finetune.json"
SIZE, BATCH, MODEL, FEW = 256, 16, "yolov8n", 60
EPOCHS = {"other": 30, "same": 10}
SCRATCH, DEFAULT = "scratch", "default"
ARMS = (SCRATCH, "lr=0.004", "lr=0.001", "lr=0.0004", "lr=0.0001", "lr=0.001 freeze=backbone")


def save(cells):
    ordered = sorted(cells, key=lambda cell: (cell["start"], cell["arm"], cell["seed"]))
    write(RESULTS, {"size": SIZE, "batch": BATCH, "model": MODEL, "epochs": EPOCHS, "few": FEW}, ordered)


class Study:
    def __init__(self, flags):
        self.flags = flags
        self.budget = TimeBudget(flags.minutes)

    def lists(self, start):
        """What `build` is given to train on."""
        folder = self.flags.bccd / "ImageSets" / "Main"
        if start == "same":
            return ["--input", folder / "train.txt", "--input", folder / "test.txt"]
        names = (folder / "train.txt").read_text().splitlines()
        few = self.flags.out / "few" / "ImageSets" / "Main" / "train.txt"
        few.parent.mkdir(parents=True, exist_ok=True)
        for part in ("JPEGImages", "Annotations"):
            if not (few.parents[2] / part).exists():
                (few.parents[2] / part).symlink_to((self.flags.bccd / part).resolve())
        few.write_text("".join(f"{name}\n" for name in sorted(random.Random(7).sample(names, FEW))))
        return ["--input", few, "--allow-outside"]

    def store(self, start):
        store = self.flags.out / f"store-{start}"
        if not (store / "snapshots").exists():
            words = ["--store", store, *self.lists(start), "--val", self.flags.bccd / "ImageSets" / "Main" / "val.txt", "--size", SIZE, "--json"]
            run([self.flags.bin / "letterpress-preprocess", "build", *words])
        return store

    def train(self, start, arm, seed):
        """A cell; none when the time was over before the last epoch."""
        out = self.flags.out / f"{start}-{arm.replace(' ', '-')}-seed-{seed}"
        words = ["--store", self.store(start), "--model", MODEL, "--epochs", EPOCHS[start], "--batch", BATCH, "--seed", seed, "--threads", self.flags.threads]
        words += ["--device", "cpu", "--out", out, "--resume", "--json", *self.budget.flags()]
        if arm != SCRATCH and not (out / "last.safetensors").exists():
            words += ["--pretrained", getattr(self.flags, start)]
        if arm not in (SCRATCH, DEFAULT):
            words += Cell(f"0 {arm}", seed).flags()
        if run([self.flags.bin / "letterpress-trainer", "fit", *words])["ending"] == "out of time":
            return None
        return {"start": start, "arm": arm, "seed": seed, "threads": self.flags.threads} | curves_of(out) | {"machine": environment.measured_on()}

    def run(self):
        starts = [start for start in EPOCHS if getattr(self.flags, start)]
        wanted = [{"start": start, "arm": arm, "seed": seed} for seed in self.flags.seeds for arm in self.flags.arms for start in starts
                  if (start, arm) != ("same", SCRATCH)]
        train_in_turn(RESULTS, self.budget, wanted, lambda one: self.train(**one), save, "{start}, {arm}, seed {seed}".format_map)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder for stores and runs")
    parser.add_argument("--bccd", type=pathlib.Path, required=True, help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("--other", type=pathlib.Path, help="start weights of another set")
    parser.add_argument("--same", type=pathlib.Path, help="a run on BCCD")
    parser.add_argument("--arms", nargs="+", default=ARMS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    if not flags.other and not flags.same:
        parser.error("give --other, --same or both")
    flags.out = flags.out.resolve()
    flags.out.mkdir(parents=True, exist_ok=True)
    Study(flags).run()


if __name__ == "__main__":
    main()
