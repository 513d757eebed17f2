#!/usr/bin/env python3
"""Few and hard examples: what --sample balanced, --hard-negatives and --on-device paste and affine give where one class has 30 examples.

usage: .deps/bench/bin/python scripts/study/few.py DEEPPCB OUT [--arms none balanced ...] [--seeds 1 2] [--minutes 30] [--threads 2]

DeepPCB is cut into squares of 160 pixels at full resolution; those that would cut a defect are left out. yolov8n learns the other five classes
from scratch first, once per seed. From there each arm trains on the same squares, 30 objects of class `short` and background squares among them,
for as many pictures as all others, and is measured on squares of the test list. Each training is a cell of
scripts/study/results/few-160.json, written when it ends: what is there is not done again. `scripts/study/page.py` makes the page of it.
Squares, stores and runs lie in OUT. Needs Pillow, which the benchmarks' environment has (.deps/bench).
"""
import argparse
import dataclasses
import math
import pathlib
import random
import sys

from cells import TimeBudget, read, run, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "few-160.json"
SIDE, PICTURE = 160, 640
RARE, EXAMPLES = "short", 30
TRAIN, TRAIN_EMPTY, TEST, TEST_EMPTY = 400, 120, 500, 250
BASE_EPOCHS, EPOCHS, VIEWS, BATCH = 30, 25, 12, 16
PRECISION = 0.9
ARMS = {
    "none": "",
    "balanced": "--sample balanced",
    "hard-negatives": "--hard-negatives 0.2",
    "paste": "--on-device paste",
    "affine": "--on-device affine",
    "balanced, paste": "--sample balanced --on-device paste",
}


@dataclasses.dataclass(frozen=True)
class Square:
    picture: str
    x: int
    y: int
    boxes: tuple  # x1 y1 x2 y2 class, pixels of the square

    @property
    def name(self):
        return f"{pathlib.Path(self.picture).stem}-{self.x}-{self.y}.png"

    def shows(self, class_id):
        return any(box[4] == class_id for box in self.boxes)

    def line(self, folder):
        return " ".join([str(folder / self.name), *(",".join(map(str, box)) for box in self.boxes)])


def squares_of(line):
    """The squares of a picture that cut none of its defects."""
    picture, *labels = line.split()
    boxes = [tuple(map(int, label.split(","))) for label in labels]
    for y in range(0, PICTURE, SIDE):
        for x in range(0, PICTURE, SIDE):
            there = [box for box in boxes if box[0] < x + SIDE and box[2] > x and box[1] < y + SIDE and box[3] > y]
            own = tuple((a - x, b - y, c - x, d - y, kind) for a, b, c, d, kind in there)
            if all(min(box[:4]) >= 0 and max(box[:4]) <= SIDE for box in own):
                yield Square(picture, x, y, own)


def squares_in(deeppcb, split):
    """In a drawn order that does not change."""
    squares = [square for line in (deeppcb / f"{split}.txt").read_text().splitlines() for square in squares_of(line)]
    random.Random(1).shuffle(squares)
    return squares


def chosen(deeppcb, rare):
    """(train without the rare class, its examples, test): lists of squares."""
    train, test = squares_in(deeppcb, "train"), squares_in(deeppcb, "test")
    full, empty = [s for s in train if s.boxes], [s for s in train if not s.boxes]
    others, examples, objects = [s for s in full if not s.shows(rare)][:TRAIN], [], 0
    for square in (s for s in full if s.shows(rare)):
        n = sum(box[4] == rare for box in square.boxes)
        if objects + n <= EXAMPLES:
            examples.append(square)
            objects += n
    tested = [s for s in test if s.boxes][:TEST] + [s for s in test if not s.boxes][:TEST_EMPTY]
    return others + empty[:TRAIN_EMPTY], examples, tested


def cut(deeppcb, squares, folder):
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for square in squares:
        if not (folder / square.name).exists():
            with Image.open(deeppcb / square.picture) as picture:
                picture.crop((square.x, square.y, square.x + SIDE, square.y + SIDE)).save(folder / square.name)


def save(cells):
    protocol = {"side": SIDE, "rare": RARE, "examples": EXAMPLES, "epochs": EPOCHS, "base_epochs": BASE_EPOCHS, "batch": BATCH, "views": VIEWS,
                "train": TRAIN, "train_empty": TRAIN_EMPTY, "test": TEST, "test_empty": TEST_EMPTY, "precision": PRECISION, "model": "yolov8n",
                "arms": ARMS}
    ordered = sorted(cells, key=lambda cell: (list(ARMS).index(cell["arm"]), cell["seed"]))
    write(RESULTS, protocol, ordered)


class Study:
    def __init__(self, flags):
        self.flags = flags
        self.budget = TimeBudget(flags.minutes)
        self.classes = (flags.deeppcb / "classes.txt").read_text().split()
        self.others, self.examples, self.tested = chosen(flags.deeppcb, self.classes.index(RARE))

    def store(self, name, train):
        folder, store = self.flags.out / "squares", self.flags.out / f"store-{name}"
        if (store / "snapshots").exists():
            return store
        cut(self.flags.deeppcb, train + self.tested, folder)
        for split, squares in ((name, train), ("test", self.tested)):
            (self.flags.out / f"{split}.txt").write_text("".join(square.line(folder) + "\n" for square in squares))
        words = ["--input", self.flags.out / f"{name}.txt", "--split", f"test={self.flags.out / 'test.txt'}", "--format", "keras"]
        words += ["--classes", self.flags.deeppcb / "classes.txt", "--size", SIDE, "--views", VIEWS, "--json"]
        run([self.flags.bin / "letterpress-preprocess", "build", "--store", store, *words])
        return store

    def fit(self, store, out, epochs, seed, flags):
        words = ["--store", store, "--model", "yolov8n", "--out", out, "--epochs", epochs, "--batch", BATCH, "--seed", seed]
        words += ["--device", "cpu", "--threads", self.flags.threads, "--resume", "--json", *flags]
        return run([self.flags.bin / "letterpress-trainer", "fit", *words])

    def base(self, seed):
        out = self.flags.out / f"base-{seed}"
        self.fit(self.store("base", self.others), out, BASE_EPOCHS, seed, [])
        return out

    def epochs(self, arm):
        """As many as have the pictures of EPOCHS of them."""
        train, longer = self.others + self.examples, 1.0
        if "balanced" in arm:
            share = [sum(s.shows(c) for s in train) / len(train) for c in range(len(self.classes))]
            middle = sorted(share)[len(share) // 2]
            factors = [max([1, *(math.sqrt(middle / share[box[4]]) for box in s.boxes)]) for s in train]
            longer = sum(factors) / len(train)
        if "hard-negatives" in arm:
            longer /= 0.8
        return round(EPOCHS / longer)

    def cell(self, arm, seed):
        base, store = self.base(seed), self.store("few", self.others + self.examples)
        out = self.flags.out / f"{arm.replace(', ', '-')}-{seed}"
        epochs = self.epochs(arm)
        fitted = self.fit(store, out, epochs, seed, ["--init", base, *ARMS[arm].split()])
        words = ["--checkpoint", out / "last.safetensors", "--store", store, "--split", "test", "--at-precision", PRECISION]
        measured = run([self.flags.bin / "letterpress-trainer", "eval", *words, "--threads", self.flags.threads, "--json"])
        at = measured["recall_at_precision"]
        recall = {name: (point or {"recall": 0})["recall"] for name, point in at["classes"].items()}
        machine = environment.measured_on()
        return {"arm": arm, "seed": seed, "epochs": epochs, "steps": fitted["step"], "recall": recall, "recall_all": (at["all"] or {"recall": 0})["recall"],
                "ap50": {name: one["map50"] for name, one in measured["classes"].items()}, "map50": measured["map50"],
                "seconds": fitted["seconds"], "machine": machine}

    def train(self):
        for seed in self.flags.seeds:
            for arm in self.flags.arms:
                done = read(RESULTS)
                if any((cell["arm"], cell["seed"]) == (arm, seed) for cell in done):
                    continue
                if self.budget.is_over():
                    return
                cell = self.cell(arm, seed)
                save(done + [cell])
                print(f"{arm}, seed {seed}: recall of {RARE} {cell['recall'][RARE]:.3f}, of all {cell['recall_all']:.3f}, mAP50 {cell['map50']:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("deeppcb", type=pathlib.Path, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("out", type=pathlib.Path, help="folder for squares, stores and runs")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--minutes", type=float, default=0, help="no training is begun after that; 0: all of them")
    parser.add_argument("--threads", type=int, default=2, help="of each training: another number gives other bits")
    parser.add_argument("--base", action="store_true", help="only what all arms begin with")
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    study = Study(flags)
    if flags.base:
        for seed in flags.seeds:
            study.base(seed)
        return
    study.train()


if __name__ == "__main__":
    main()
