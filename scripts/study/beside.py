#!/usr/bin/env python3
"""All defaults beside all of Ultralytics' defaults: trains yolov8n from scratch with both on the same pictures, split, size, batch and number of epochs.

usage: scripts/study/beside.py OUT --bccd BCCD --deeppcb DEEPPCB --cifar CIFAR [--epochs 40 100] [--seeds 1 2 3] [--sets bccd-130 deeppcb-300]
       [--minutes 60] [--device cuda:0] [--at-once 3]

The sets are those of small_sets.py: few pictures, 256 pixels. The defaults were tuned on two of them. Both
programs read one folder in YOLO's layout, and each measures with its own validation. Each training is a cell of scripts/study/results/beside.json,
written when it ends: what is there is not done again, and what was stopped goes on from its last checkpoint. `scripts/study/page.py` makes the table.
Stores and runs lie in OUT.
"""
import argparse
import functools
import pathlib
import shutil
import sys

from cells import BUILDING, KEEPING, RESULTS, ULTRALYTICS, TimeBudget, add_machine_flags, curves_of, read, run, train_all, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402
from small_sets import SETS, pictures_of  # noqa: E402
from yolo_set import write_pictures  # noqa: E402

FILE = RESULTS / "beside.json"
SIZE, BATCH, MODEL = 256, 16, "yolov8n"
OURS = "letterpress"


def key(cell):
    return cell["set"], cell["epochs"], cell["arm"], cell["seed"]


class Study:
    def __init__(self, flags):
        self.flags = flags
        self.budget = TimeBudget(flags.minutes)

    def folder(self, name):
        """The set in YOLO's layout, made when it is not there."""
        folder = self.flags.out / name
        if not (folder / "data.yaml").exists():
            shutil.rmtree(folder, ignore_errors=True)
            write_pictures(pictures_of(name, self.flags, self.flags.out / f"{name}-drawn"), folder)
        return folder

    def letterpress(self, name, epochs, seed):
        """Nothing when the time was over before its last epoch."""
        store, out = self.flags.out / f"store-{name}-{epochs}", self.flags.out / f"{name}-{epochs}-seed-{seed}"
        preprocess, trainer = (self.flags.bin / f"letterpress-{program}" for program in ("preprocess", "trainer"))
        with BUILDING:
            run([preprocess, "build", "--store", store, "--input", self.folder(name), "--allow-outside", "--size", SIZE, "--json"])
        words = ["--store", store, "--model", MODEL, "--epochs", epochs, "--batch", BATCH, "--seed", seed, "--out", out, "--resume", "--json"]
        words += ["--threads", self.flags.threads, "--device", self.flags.device]
        words += self.budget.flags()
        fitted = run([trainer, "fit", *words])
        return None if fitted["ending"] != "complete" else curves_of(out) | {"seconds": fitted["seconds"]}

    def ultralytics(self, name, epochs, seed):
        out = self.flags.out / f"{name}-{epochs}-{ULTRALYTICS}-seed-{seed}"
        with BUILDING:
            data, python = self.folder(name) / "data.yaml", environment.python_of_peers(self.flags.peers)
        script = pathlib.Path(__file__).parent / "ultralytics_fit.py"
        return run([python, script, data, SIZE, BATCH, epochs, seed, self.flags.threads, out, self.flags.device])

    def wanted(self):
        """Keys of the cells."""
        return [(name, epochs, arm, seed) for epochs in self.flags.epochs for seed in self.flags.seeds for name in self.flags.sets for arm in self.flags.arms]

    def train(self):
        """The names of those that failed."""
        trainings = {f"{name}, {epochs} epochs, {arm}, seed {seed}": functools.partial(self.train_one, name, epochs, arm, seed)
                     for name, epochs, arm, seed in self.wanted()}
        return train_all(trainings, self.flags.at_once)

    def train_one(self, name, epochs, arm, seed):
        if (name, epochs, arm, seed) in map(key, read(FILE)) or self.budget.is_over():
            return
        result = (self.ultralytics if arm == ULTRALYTICS else self.letterpress)(name, epochs, seed)
        if result:
            self.keep({"set": name, "epochs": epochs, "arm": arm, "seed": seed, "threads": self.flags.threads} | result)

    def keep(self, cell):
        cell["machine"] = environment.measured_on(self.flags.device)
        with KEEPING:
            write(FILE, {"size": SIZE, "batch": BATCH, "model": MODEL}, sorted([*read(FILE), cell], key=key))
        print(f"{key(cell)}: last mAP50 {cell['map50'][-1]:.4f}, mAP50-95 {cell['map50_95'][-1]:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder for sets, stores and runs")
    parser.add_argument("--bccd", type=pathlib.Path, required=True, help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("--deeppcb", type=pathlib.Path, required=True, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("--cifar", type=pathlib.Path, required=True, help="folder with CIFAR-10's train.tar and test.tar")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--arms", nargs="+", default=(OURS, ULTRALYTICS), choices=(OURS, ULTRALYTICS))
    parser.add_argument("--epochs", type=int, nargs="+", default=[40, 100])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    parser.add_argument("--peers", type=pathlib.Path, help="a Python that has ultralytics; none given: .deps/bench, installed first")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    study = Study(flags)
    failed = study.train()
    missing = [cell for cell in study.wanted() if cell not in map(key, read(FILE))]
    print("all cells are done" if not missing else f"missing: {missing}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
