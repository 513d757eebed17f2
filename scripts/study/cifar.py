#!/usr/bin/env python3
"""A classifier: minigooglenet from scratch on CIFAR-10, measured on its 10,000 test pictures after each epoch.

usage: scripts/study/cifar.py CIFAR OUT [--seeds 1 2 3] [--epochs 30] [--minutes 60] [--threads 1] [--bin build/release/bin]
       [--device cuda:0] [--at-once 3]

The store has a view for each epoch, of samples/recipes/thumbnails.toml. Each training is a cell of scripts/study/results/cifar10-EPOCHS.json, written when it
ends: what is there is not done again, and what was stopped goes on from its last checkpoint. `scripts/study/page.py` makes the table. Store and runs
lie in OUT.
"""
import argparse
import functools
import pathlib
import sys

from cells import KEEPING, RESULTS, TimeBudget, add_machine_flags, curves_of, read, run, train_all, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

SIZE, MODEL, RECIPE = 32, "minigooglenet", "samples/recipes/thumbnails.toml"
FIT = {"batch": 128, "optimiser": "sgd", "lr": 0.1, "schedule": "one-cycle", "clean-epochs": 0, "precision": "bf16"}
WANTED = {"top1": 0.9065}


class Study:
    def __init__(self, flags):
        self.flags, self.file = flags, RESULTS / f"cifar10-{flags.epochs}.json"
        self.budget = TimeBudget(flags.minutes)
        self.store, self.views = flags.out / f"store-{flags.epochs}", 0

    def build(self):
        preprocess, cifar = self.flags.bin / "letterpress-preprocess", self.flags.cifar
        words = ["--input", cifar / "train.tar", "--val", cifar / "test.tar", "--size", SIZE, "--recipe", ROOT / RECIPE, "--views", self.flags.epochs]
        run([preprocess, "build", "--store", self.store, *words, "--json"])
        self.views = run([preprocess, "info", "--store", self.store, "--json"])["snapshot"]["views"]

    def fit(self, seed):
        """A cell; none when the time was over before the last epoch."""
        out = self.flags.out / f"epochs-{self.flags.epochs}-seed-{seed}"
        words = ["--store", self.store, "--model", MODEL, "--epochs", self.flags.epochs, "--seed", seed, "--out", out, "--resume", "--json"]
        words += ["--device", self.flags.device, "--threads", self.flags.threads, *(word for name, value in FIT.items() for word in (f"--{name}", value))]
        words += self.budget.flags()
        fitted = run([self.flags.bin / "letterpress-trainer", "fit", *words])
        if fitted["ending"] != "complete":
            return None
        measured = curves_of(out, ("top1", "val_loss", "loss")) | {"seconds": fitted["seconds"]}
        return {"seed": seed, "threads": self.flags.threads} | measured | {"machine": environment.measured_on(self.flags.device)}

    def train_one(self, seed):
        if seed in [cell["seed"] for cell in read(self.file)] or self.budget.is_over():
            return
        cell = self.fit(seed)
        if cell is None:
            return
        protocol = {"size": SIZE, "model": MODEL, "recipe": RECIPE, "epochs": self.flags.epochs, "views": self.views, **FIT, "wanted": WANTED}
        with KEEPING:
            write(self.file, protocol, sorted([*read(self.file), cell], key=lambda one: one["seed"]))
        print(f"seed {seed}: last top-1 {cell['top1'][-1]:.4f}, best {max(cell['top1']):.4f}", flush=True)

    def missing(self):
        done = [cell["seed"] for cell in read(self.file)]
        return [seed for seed in self.flags.seeds if seed not in done]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cifar", type=pathlib.Path, help="folder with train.tar and test.tar: a folder of pictures for each class")
    parser.add_argument("out", type=pathlib.Path, help="folder for the store and runs")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    study = Study(flags)
    study.build()
    failed = train_all({f"seed {seed}": functools.partial(study.train_one, seed) for seed in flags.seeds}, flags.at_once)
    missing = study.missing()
    print("all cells are done" if not missing else f"missing: {missing}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
