#!/usr/bin/env python3
"""A classifier: minigooglenet from scratch on CIFAR-10, measured on its 10,000 test pictures after each epoch.

usage: scripts/study/cifar.py CIFAR OUT [--arms thumbnails "thumbnails-cutout label-smoothing=0.1"] [--seeds 1 2 3] [--epochs 30] [--minutes 60] [--threads 1]
       [--bin build/release/bin] [--device cuda:0] [--at-once 3]

An arm is a file of samples/recipes and what else `fit` is given. A store has a view for each epoch. Each training is a cell of
scripts/study/results/cifar10-EPOCHS.json, written when it ends: what is there is not done again, and what was stopped goes on from its last checkpoint.
`scripts/study/page.py` makes the table. Stores and runs lie in OUT.
"""
import argparse
import functools
import pathlib
import sys

from cells import BUILDING, KEEPING, RESULTS, Cell, TimeBudget, add_machine_flags, curves_of, read, run, train_all, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

SIZE, MODEL = 32, "minigooglenet"
FIT = {"batch": 128, "optimiser": "sgd", "lr": 0.1, "schedule": "one-cycle", "clean-epochs": 0, "precision": "bf16"}
WANTED = {"top1": 0.9065}


class Study:
    def __init__(self, flags):
        self.flags, self.file = flags, RESULTS / f"cifar10-{flags.epochs}.json"
        self.budget = TimeBudget(flags.minutes)

    def build(self, recipe):
        flags, preprocess = self.flags, self.flags.bin / "letterpress-preprocess"
        store, file = flags.out / f"store-{recipe}-{flags.epochs}", ROOT / "samples" / "recipes" / f"{recipe}.toml"
        words = ["--input", flags.cifar / "train.tar", "--val", flags.cifar / "test.tar", "--size", SIZE, "--recipe", file, "--views", flags.epochs]
        with BUILDING:
            run([preprocess, "build", "--store", store, *words, "--json"])
        return store

    def fit(self, cell):
        """What was measured; nothing when the time was over before the last epoch."""
        flags, out = self.flags, self.flags.out / f"epochs-{self.flags.epochs}-{cell.name}"
        words = ["--store", self.build(cell.arm.split()[0]), "--model", MODEL, "--epochs", flags.epochs, "--seed", cell.seed, "--out", out, "--resume", "--json"]
        words += ["--device", flags.device, "--threads", flags.threads, *(word for name, value in FIT.items() for word in (f"--{name}", value))]
        words += [*cell.flags(), *self.budget.flags()]
        fitted = run([flags.bin / "letterpress-trainer", "fit", *words])
        if fitted["ending"] != "complete":
            return None
        measured = curves_of(out, ("top1", "val_loss", "loss")) | {"seconds": fitted["seconds"]}
        return {"arm": cell.arm, "seed": cell.seed, "threads": flags.threads} | measured | {"machine": environment.measured_on(flags.device)}

    def done(self):
        return [Cell(one["arm"], one["seed"]) for one in read(self.file)]

    def train_one(self, cell):
        if cell in self.done() or self.budget.is_over():
            return
        trained = self.fit(cell)
        if trained is None:
            return
        protocol = {"size": SIZE, "model": MODEL, "epochs": self.flags.epochs, "views": self.flags.epochs, **FIT, "wanted": WANTED}
        with KEEPING:
            write(self.file, protocol, sorted([*read(self.file), trained], key=lambda one: (one["arm"], one["seed"])))
        print(f"{cell.name}: last top-1 {trained['top1'][-1]:.4f}, best {max(trained['top1']):.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cifar", type=pathlib.Path, help="folder with train.tar and test.tar: a folder of pictures for each class")
    parser.add_argument("out", type=pathlib.Path, help="folder for stores and runs")
    parser.add_argument("--arms", nargs="+", default=["thumbnails", "thumbnails-cutout label-smoothing=0.1"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    study = Study(flags)
    wanted = [Cell(arm, seed) for arm in flags.arms for seed in flags.seeds]
    failed = train_all({cell.name: functools.partial(study.train_one, cell) for cell in wanted}, flags.at_once)
    missing = [cell.name for cell in wanted if cell not in study.done()]
    print("all cells are done" if not missing else f"missing: {missing}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
