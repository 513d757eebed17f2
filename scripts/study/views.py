#!/usr/bin/env python3
"""How many stored views does a training need? Trains yolov8n from scratch on BCCD once per number of views and seed, beside as many views as epochs
(each drawn for its epoch, as if they were drawn while it trains) and beside Ultralytics' own training, everything else left at its defaults.

usage: scripts/study/views.py BCCD OUT [--size 416] [--epochs 30] [--arms 4 auto online ...] [--seeds 1 2] [--minutes 60] [--threads 2]
       [--device cuda:0] [--at-once 3]

Each training is a cell of scripts/study/results/bccd-SIZE-EPOCHS.json, written when it ends. What is there is not done again, and what was
stopped goes on from its last checkpoint, so a study may be made in many sittings. `scripts/study/page.py` makes the page of the results.
Train list to train, val list to validate. Stores and runs lie in OUT.
"""
import argparse
import functools
import json
import pathlib
import shutil
import sys

import cells
from cells import ULTRALYTICS, Cell, Protocol, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402
from yolo_set import write_yolo  # noqa: E402

ARMS = ["auto", "4", "online", ULTRALYTICS, "1", "16", "2", "8", "32"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bccd", type=pathlib.Path, help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("out", type=pathlib.Path, help="folder for stores and runs")
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--arms", nargs="+", default=ARMS, help=f"of {', '.join(ARMS)}, any number of views; with flags of fit: 'auto lr=0.002', '4 refresh=1 snapshot=follow'")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=2, help="of each training: another number gives other bits")
    cells.add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    parser.add_argument("--peers", type=pathlib.Path, help="a Python that has ultralytics; none given: .deps/bench, installed first")
    return parser.parse_args()


class Study:
    def __init__(self, flags):
        self.flags, self.protocol = flags, Protocol(flags.size, flags.epochs)
        self.budget = cells.TimeBudget(flags.minutes)
        self.lists = flags.bccd / "ImageSets" / "Main"

    def train(self):
        """The names of those that failed."""
        wanted = [Cell(arm, seed) for seed in self.flags.seeds for arm in self.flags.arms]
        return cells.train_all({cell.name: functools.partial(self.train_one, cell) for cell in wanted}, self.flags.at_once)

    def train_one(self, cell):
        if (cell.arm, cell.seed) in cells.load(self.protocol) or self.budget.is_over():
            return
        result = self.ultralytics(cell) if cell.arm == ULTRALYTICS else self.letterpress(cell)
        if result:
            self.keep(cell, result)

    def keep(self, cell, result):
        machine = environment.measured_on(self.flags.device)
        result = {"arm": cell.arm, "seed": cell.seed, "threads": self.flags.threads} | result | {"machine": machine}
        with cells.KEEPING:
            cells.save(self.protocol, cells.load(self.protocol) | {(cell.arm, cell.seed): result})
        print(f"{self.protocol.name} {cell.name}: last mAP50 {result['map50'][-1]:.4f}, mAP50-95 {result['map50_95'][-1]:.4f}", flush=True)

    def store(self, cell):
        """Of BCCD with so many views, made when it is not there; and their number. A training that refreshes them has its own: it draws them anew."""
        views = cell.views(self.protocol.epochs)
        store = self.flags.out / f"store-{self.protocol.size}-{cell.name if ' refresh=' in cell.arm else views}"
        inputs = ["--input", self.lists / "train.txt", "--val", self.lists / "val.txt"]
        preprocess = self.flags.bin / "letterpress-preprocess"
        with cells.BUILDING:
            run([preprocess, "build", "--store", store, *inputs, "--size", self.protocol.size, "--views", views, "--json"])
        return store, run([preprocess, "info", "--store", store, "--json"])["snapshot"]["views"]

    def letterpress(self, cell):
        """Nothing when the time was over before its last epoch."""
        protocol, out = self.protocol, self.flags.out / self.protocol.name / cell.name
        store, views = self.store(cell)
        words = ["--store", store, "--model", protocol.model, "--epochs", protocol.epochs, "--batch", protocol.batch, "--seed", cell.seed]
        words += ["--threads", self.flags.threads, "--device", self.flags.device, "--out", out, "--resume", "--json", *cell.flags()]
        words += self.budget.flags()
        fitted = run([self.flags.bin / "letterpress-trainer", "fit", *words])
        return None if fitted["ending"] != "complete" else {"views": views} | self.curves(out) | {"seconds": fitted["seconds"]}

    def curves(self, out):
        configuration = json.loads((out / "configuration.json").read_text())
        clean = configuration["clean-epochs"]
        return cells.curves_of(out) | {"clean_epochs": clean if clean >= 0 else self.protocol.epochs // 10}

    def yolo(self):
        """BCCD in YOLO's layout, made when it is not there."""
        yolo = self.flags.out / "yolo"
        if not (yolo / "data.yaml").exists():
            shutil.rmtree(yolo, ignore_errors=True)
            write_yolo(self.flags.bccd, {split: (self.lists / f"{split}.txt").read_text().split() for split in ("train", "val")}, yolo)
        return yolo

    def ultralytics(self, cell):
        out = self.flags.out / self.protocol.name / cell.name
        with cells.BUILDING:
            yolo, python = self.yolo(), environment.python_of_peers(self.flags.peers)
        script, protocol = pathlib.Path(__file__).parent / "ultralytics_fit.py", self.protocol
        words = [python, script, yolo / "data.yaml", protocol.size, protocol.batch, protocol.epochs]
        return run([*words, cell.seed, self.flags.threads, out, self.flags.device])


def main():
    flags = parse()
    flags.out.mkdir(parents=True, exist_ok=True)
    study = Study(flags)
    failed = study.train()
    missing = [f"{arm}-seed-{seed}" for seed in flags.seeds for arm in flags.arms if (arm, seed) not in cells.load(study.protocol)]
    print(f"{study.protocol.name}: {'all cells are done' if not missing else 'missing: ' + ', '.join(missing)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
