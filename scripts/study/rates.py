#!/usr/bin/env python3
"""Which learning rate and warm-up a training from scratch wants: trains yolov8n once per set, rate and seed, all else at its defaults.

usage: scripts/study/rates.py OUT --bccd BCCD --deeppcb DEEPPCB [--rates 0.001 0.002 0.004 0.008] [--seeds 1] [--minutes 60] [--threads 1]

BCCD: its train and test lists to train (277 pictures), its val list (87) to validate, 30 epochs. DeepPCB: 300 pictures of its train list, 150 of its
test list, drawn with one seed, 20 epochs. 256 pixels. Each training is a cell of scripts/study/results/rates.json, written when it ends: what is there
is not done again, and what was stopped goes on from its last checkpoint. `scripts/study/page.py` makes the page of it. Stores and runs lie in OUT.
"""
import argparse
import pathlib
import random
import sys

from cells import TimeBudget, curves_of, run, train_in_turn, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "rates.json"
SIZE, BATCH, MODEL = 256, 16, "yolov8n"
EPOCHS = {"bccd": 30, "deeppcb": 20}
WARMUP = {0.001: 1}  # epochs; of the others
WARMUP_ELSE = 3
TRAIN, VAL = 300, 150


def save(cells):
    ordered = sorted(cells, key=lambda cell: (cell["set"], cell["lr"], cell["warmup"], cell["seed"]))
    write(RESULTS, {"size": SIZE, "batch": BATCH, "model": MODEL, "epochs": EPOCHS}, ordered)


class Study:
    def __init__(self, flags):
        self.flags = flags
        self.budget = TimeBudget(flags.minutes)

    def labels(self, name):
        """What `build` is given for a set."""
        if name == "bccd":
            lists = self.flags.bccd / "ImageSets" / "Main"
            return ["--input", lists / "train.txt", "--input", lists / "test.txt", "--val", lists / "val.txt"]
        order = random.Random(7)
        for split, n in (("train", TRAIN), ("test", VAL)):
            lines = (self.flags.deeppcb / f"{split}.txt").read_text().splitlines()
            order.shuffle(lines)
            (self.flags.out / f"deeppcb-{split}.txt").write_text("".join(f"{self.flags.deeppcb}/{line}\n" for line in lines[:n]))
        words = ["--input", self.flags.out / "deeppcb-train.txt", "--val", self.flags.out / "deeppcb-test.txt", "--allow-outside"]
        return [*words, "--classes", self.flags.deeppcb / "classes.txt"]

    def store(self, name):
        store = self.flags.out / f"store-{name}"
        if not (store / "snapshots").exists():
            run([self.flags.bin / "letterpress-preprocess", "build", "--store", store, *self.labels(name), "--size", SIZE, "--json"])
        return store

    def train(self, name, rate, seed):
        """A cell; none when the time was over before the last epoch."""
        epochs, warmup = EPOCHS[name], WARMUP.get(rate, WARMUP_ELSE)
        out = self.flags.out / f"{name}-lr-{rate}-seed-{seed}"
        words = ["--store", self.store(name), "--model", MODEL, "--epochs", epochs, "--batch", BATCH, "--lr", rate, "--warmup", warmup]
        words += ["--seed", seed, "--threads", self.flags.threads, "--device", "cpu", "--out", out, "--resume", "--json"]
        words += self.budget.flags()
        if run([self.flags.bin / "letterpress-trainer", "fit", *words])["ending"] == "out of time":
            return None
        machine = environment.measured_on()
        return {"set": name, "lr": rate, "warmup": warmup, "seed": seed, "threads": self.flags.threads} | curves_of(out) | {"machine": machine}

    def run(self):
        sets = [name for name in EPOCHS if getattr(self.flags, name)]
        wanted = [{"set": name, "lr": rate, "seed": seed} for seed in self.flags.seeds for rate in self.flags.rates for name in sets]
        train_in_turn(RESULTS, self.budget, wanted, lambda one: self.train(*one.values()), save, "{set}, lr {lr}, seed {seed}".format_map)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder for stores and runs")
    parser.add_argument("--bccd", type=pathlib.Path, help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("--deeppcb", type=pathlib.Path, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.001, 0.002, 0.004, 0.008])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun or gone on with after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    if not flags.bccd and not flags.deeppcb:
        parser.error("give --bccd, --deeppcb or both")
    flags.out.mkdir(parents=True, exist_ok=True)
    Study(flags).run()


if __name__ == "__main__":
    main()
