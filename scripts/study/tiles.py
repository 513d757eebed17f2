#!/usr/bin/env python3
"""What tiles find in big pictures: a yolov8n that is trained on tiles and predicts on tiles, beside crops around each object (the most it can find), whole
pictures that are shrunk into a frame of the same side, and SAHI with the same network.

usage: scripts/study/tiles.py OUT [--deeppcb DEEPPCB] [--sets boards deeppcb] [--arms tiles ...] [--train N] [--test N] [--seen N] [--threads 1] [--results FOLDER]

boards: samples/boards.py, 6,000 x 4,000 pixels. deeppcb: mosaics of 4 x 4 pictures, 2,560 x 2,560; of its train list to train, of its test list to measure on.
Both networks of a set see as many pictures of SIDE pixels in their training. Each arm is a cell of scripts/study/results/tiles-SET.json, written when it ends: what is
there is not done again, and a training that was stopped goes on from its checkpoint. `scripts/study/page.py` makes the table of it. Pictures, stores and
runs lie in OUT. Peers are those of .deps/bench, installed when missing.
"""
import argparse
import csv
import dataclasses
import json
import os
import pathlib
import resource
import sys
import time

from cells import read, run, said, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE / "results"
MODEL, SIDE, OVERLAP, BACKGROUND, RECIPE, BATCH = "yolov8n", 320, 0.2, 0.2, "inspect", 8
CONF, LOWEST = 0.25, 0.01  # of recall and precision; of AP
MOST_VIEWS = 40  # of a whole picture
FAR = 8  # pixels, a cell of the finest grid: where in a cell a small object lies decides much
APART = ["--iou", 0.3, "--nms", "agnostic"]  # of predict, for objects that do not cover each other
ARMS = ["tiles", "tiles-iou", "tiles-apart", "tiles-and-whole", "tiles-and-whole-apart", "crops", "crops-apart", "moved-crops", "moved-crops-apart", "whole", "whole-apart", "sahi", "sahi-slices"]


@dataclasses.dataclass(frozen=True)
class Set:
    train: int  # pictures
    test: int
    seen: int  # pictures of SIDE pixels that a training sees, rounded to whole epochs of tiles


SETS = {"boards": Set(12, 4, 5000), "deeppcb": Set(24, 8, 10000)}


def on_one_core():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def timed(words):
    """What a program prints last, and how long it took on one core, start included."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    last = said(words, preexec_fn=on_one_core)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(last), {"seconds": time.monotonic() - begin, "processor_s": processor}


def flags_of(arm):
    suppression = APART if arm.endswith("-apart") else APART[:2] if arm.endswith("-iou") else []
    return suppression + (["--whole-picture"] if "-and-whole" in arm else [])


def network_of(arm):
    return arm.removesuffix("-apart").removesuffix("-iou").removesuffix("-and-whole")


class Study:
    def __init__(self, flags, name):
        self.flags, self.name, self.out = flags, name, flags.out / name
        self.set = Set(*(getattr(flags, field) or value for field, value in dataclasses.asdict(SETS[name]).items()))
        self.python, self.file = environment.PEERS / "bin" / "python", flags.results / f"tiles-{name}.json"
        self.test_list = self.out / "pictures" / "val.txt"

    def draw(self):
        """The pictures and their lists, and a list of the test pictures alone."""
        pictures = self.out / "pictures"
        if (self.out / "test-pictures.txt").exists():
            return
        if self.name == "boards":
            total = self.set.train + self.set.test
            if self.set.test != max(1, total // 4):  # what boards.py does
                sys.exit(f"tiles.py: boards.py gives a quarter of the boards to measure on, {total // 4} of {total}; --test says {self.set.test}")
            said([self.python, ROOT / "samples" / "boards.py", pictures, "--pictures", total])
        else:
            said([self.python, HERE / "tiles_sets.py", "mosaics", self.flags.deeppcb, pictures, self.set.train, self.set.test])
        lines = [pictures / line.split()[0] for line in self.test_list.read_text().splitlines()]
        (self.out / "test-pictures.txt").write_text("".join(f"{line.resolve()}\n" for line in lines))

    def store(self, kind):
        """And how many pictures an epoch has."""
        store, pictures = self.out / f"store-{kind}", self.out / "pictures"
        words = ["--input", pictures / "train.txt", "--split", f"test={self.test_list}", "--classes", pictures / "classes.txt", "--recipe", RECIPE]
        tiles = ["--tile", SIDE, "--overlap", OVERLAP, "--background-tiles", BACKGROUND, "--views", 3]
        words += tiles if kind == "tiles" else ["--size", SIDE, "--views", MOST_VIEWS]
        preprocess = self.flags.bin / "letterpress-preprocess"
        if not (store / "snapshots").exists():
            said([preprocess, "build", "--store", store, *words, "--threads", self.flags.threads, "--json"])
        shards = run([preprocess, "info", "--store", store, "--json"])["snapshot"]["shards"]
        return store, sum(shard["rows"] for shard in shards if shard["split"] == "train" and not shard["augmented"])

    def epochs(self, kind):
        """Of a training, and the pictures of each: whole pictures are seen as often as tiles, all in all."""
        _, tiles = self.store("tiles")
        of_tiles = max(1, round(self.set.seen / tiles))
        if kind == "tiles":
            return of_tiles, tiles
        _, pictures = self.store(kind)
        return max(1, round(of_tiles * tiles / pictures)), pictures

    def fit(self, kind):
        """Its checkpoint, and what the training was."""
        (store, _), (epochs, pictures), out = self.store(kind), self.epochs(kind), self.out / f"run-{kind}"
        words = ["--store", store, "--model", MODEL, "--epochs", epochs, "--batch", BATCH, "--warmup", f"{epochs / 10:g}", "--device", "cpu"]
        words += ["--threads", self.flags.threads, "--precision", "bf16", "--checkpoint-minutes", 3, "--out", out, "--resume", "--json"]
        fitted = run([self.flags.bin / "letterpress-trainer", "fit", *words])
        with open(out / "results.csv", newline="") as file:
            seconds = float(list(csv.DictReader(file))[-1]["seconds"])  # of all its sittings
        return out / "last.safetensors", {"epochs": epochs, "pictures_per_epoch": pictures, "steps": fitted["step"], "training_s": seconds}

    def train(self, kind):
        """Nothing but what the cells of its arms share."""
        checkpoint, training = self.fit(kind)
        store, _ = self.store(kind)
        words = ["--store", store, "--checkpoint", checkpoint, "--split", "test", "--device", "cpu", "--threads", self.flags.threads, "--json"]
        evaluated = run([self.flags.bin / "letterpress-trainer", "eval", *words, "--conf", LOWEST])
        return checkpoint, training | {"eval_map50": evaluated["map50"]}

    def predict(self, checkpoint, pictures, out, conf, *flags):
        """The file of detections, and the seconds of each picture."""
        words = ["--checkpoint", checkpoint, "--input", pictures, "--out", out, "--conf", conf, "--no-draw", "--device", "cpu", "--threads", 1, *flags]
        found, seconds = timed([self.flags.bin / "letterpress-predict", *words, "--engine", self.flags.engine, "--json"])
        return out / "detections.json", {name: value / found["pictures"] for name, value in seconds.items()}

    def sahi(self, out, conf, whole):
        model = self.out / "tiles.onnx"
        if not model.exists():
            words = ["--checkpoint", self.out / "run-tiles" / "last.safetensors", "--to", "onnx", "--output", "ultralytics", "--batch", 1]
            said([self.flags.bin / "letterpress-trainer", "export", *words, "--out", model])
        out.mkdir(parents=True, exist_ok=True)
        words = [model, self.out / "test-pictures.txt", out / "detections.json", SIDE, OVERLAP, conf, int(whole)]
        found, _ = timed([self.python, HERE / "tiles_sahi.py", *words])
        seconds = {name: found[name] / self.set.test for name in ("seconds", "processor_s")}
        return out / "detections.json", seconds | {"version": found["version"]}

    def find(self, arm, conf):
        out = self.out / f"found-{arm}-{conf}"
        if arm.startswith("sahi"):
            return self.sahi(out, conf, whole=arm == "sahi")
        checkpoint = self.out / f"run-{network_of(arm)}" / "last.safetensors"
        return self.predict(checkpoint, self.out / "test-pictures.txt", out, conf, *flags_of(arm))

    def matched(self, kind, *files):
        overlap = round(OVERLAP * SIDE)
        return run([self.python, HERE / "tiles_match.py", kind, self.test_list, files[0], overlap, *files[1:]])

    def measure_crops(self, arm):
        crops, far = self.out / arm.removesuffix("-apart"), FAR if arm.startswith("moved") else 0
        if not (crops / "crops.json").exists():
            said([self.python, HERE / "tiles_sets.py", "crops", self.test_list, crops, SIDE, far])
        found, _ = self.predict(self.out / "run-tiles" / "last.safetensors", crops, crops, CONF, *flags_of(arm))
        return self.matched("crops", found)

    def measure(self, arm):
        """What a cell holds."""
        if "crops" in arm:
            return self.measure_crops(arm)
        training = self.train(arm)[1] if arm in ("tiles", "whole") else {}
        found, seconds = self.find(arm, CONF)
        low, _ = self.find(arm, LOWEST)
        return self.matched("pictures", found, low) | seconds | training

    def protocol(self):
        return {"set": self.name, "model": MODEL, "side": SIDE, "overlap": OVERLAP, "background": BACKGROUND, "recipe": RECIPE, "batch": BATCH,
                "seen": self.set.seen, "conf": CONF, "train": self.set.train, "test": self.set.test}

    def cells(self):
        return read(self.file)

    def match_all(self):
        """Of the cells that are there, by the detections that they were made of."""
        anew = []
        for cell in self.cells():
            files = [self.out / f"found-{cell['arm']}-{conf}" / "detections.json" for conf in (CONF, LOWEST)]
            anew.append(cell | (self.matched("pictures", *files) if files[0].exists() else {}))
        write(self.file, self.protocol(), anew)

    def measure_all(self):
        for arm in self.flags.arms:
            if any(cell["arm"] == arm for cell in self.cells()):
                continue
            self.draw()
            machine = environment.measured_on()
            cell = {"arm": arm} | self.measure(arm) | {"machine": machine}
            write(self.file, self.protocol(), sorted([*self.cells(), cell], key=lambda one: ARMS.index(one["arm"])))
            print(f"{self.name}, {arm}: {json.dumps(cell)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder for pictures, stores and runs")
    parser.add_argument("--deeppcb", type=pathlib.Path, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--train", type=int, default=0, help="pictures to train on; 0: as many as the results have")
    parser.add_argument("--test", type=int, default=0, help="pictures to measure on; 0: likewise")
    parser.add_argument("--seen", type=int, default=0, help="pictures of the network's side that a training sees; 0: likewise")
    parser.add_argument("--threads", type=int, default=1, help="of each training: another number gives other bits")
    parser.add_argument("--engine", default="auto", help="of letterpress-predict")
    parser.add_argument("--match", action="store_true", help="only matches the detections of the cells that are there anew")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.results.mkdir(parents=True, exist_ok=True)
    environment.install_peers()
    environment.install_tiles_peers()
    for name in flags.sets:
        if name == "deeppcb" and not flags.deeppcb:
            parser.error("give --deeppcb, or --sets boards")
        study = Study(flags, name)
        study.match_all() if flags.match else study.measure_all()


if __name__ == "__main__":
    main()
