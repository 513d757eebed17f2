#!/usr/bin/env python3
"""DeepPCB by its own lists at full resolution: yolov8n from scratch, all defaults, and what an inspection needs of it: how many defects are found while 95, 98 and 99 % of the detections are right.

usage: scripts/study/deeppcb.py DEEPPCB OUT [--seeds 1] [--epochs 100] [--views 34] [--minutes 60] [--threads 0] [--bin build/release/bin]
       [--device cuda:0] [--at-once 3]

1,000 pictures to train, 500 to validate, 640 pixels. A store of 34 views (one for every three epochs) is deflated: these pictures are nearly black
and white, so it takes a tenth of its 42 GB. Each training is a cell of scripts/study/results/deeppcb-640-100.json, written when it ends: what is there
is not done again, and what was stopped goes on from its last checkpoint. `scripts/study/page.py` makes the table. Stores and runs lie in OUT.
"""
import argparse
import functools
import pathlib
import sys

from cells import KEEPING, RESULTS, add_machine_flags, curves_of, read, run, train_all, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

SIZE, BATCH, MODEL, PRECISION = 640, 16, "yolov8n", "bf16"
PRECISIONS = (0.95, 0.98, 0.99)


def file_of(flags):
    return RESULTS / f"deeppcb-{SIZE}-{flags.epochs}.json"


def build(flags):
    store, lists = flags.out / "store", flags.deeppcb
    words = ["--input", lists / "train.txt", "--val", lists / "test.txt", "--classes", lists / "classes.txt", "--format", "keras"]
    words += ["--size", SIZE, "--views", flags.views, "--epochs-planned", flags.epochs, "--compress", "deflate", "--threads", flags.threads, "--json"]
    run([flags.bin / "letterpress-preprocess", "build", "--store", store, *words])
    return store


def point(flags, store, checkpoint, precision):
    """What is found while that share of the detections is right; nothing where it never is."""
    words = ["--store", store, "--checkpoint", checkpoint, "--at-precision", precision, "--precision", PRECISION, "--threads", flags.threads]
    words += ["--device", flags.device, "--json"]
    points = run([flags.bin / "letterpress-trainer", "eval", *words])["points"]
    found = next((point for point in points if point["name"] == "at_precision"), {})
    return {"asked": precision} | {name: found[name] for name in ("confidence", "precision", "recall", "false_per_picture") if name in found}


def train(flags, store, seed):
    """Nothing when the time was over before its last epoch."""
    out = flags.out / f"seed-{seed}"
    words = ["--store", store, "--model", MODEL, "--epochs", flags.epochs, "--batch", BATCH, "--seed", seed, "--out", out, "--precision", PRECISION]
    words += ["--device", flags.device, "--threads", flags.threads, "--resume", "--json"]
    if flags.minutes:
        words += ["--time-budget", flags.minutes]
    fitted = run([flags.bin / "letterpress-trainer", "fit", *words])
    if fitted["ending"] != "complete":
        return None
    points = [point(flags, store, out / "last.safetensors", precision) for precision in PRECISIONS]
    return curves_of(out) | {"seed": seed, "seconds": fitted["seconds"], "points": points, "machine": environment.measured_on(flags.device)}


def keep(flags, cell):
    protocol = {"size": SIZE, "batch": BATCH, "model": MODEL, "precision": PRECISION, "epochs": flags.epochs, "views": flags.views}
    with KEEPING:
        write(file_of(flags), protocol, sorted([*read(file_of(flags)), cell], key=lambda one: one["seed"]))


def train_one(flags, store, seed):
    if seed in [cell["seed"] for cell in read(file_of(flags))]:
        return
    cell = train(flags, store, seed)
    if cell is None:
        print(f"seed {seed}: not finished; run again to go on", flush=True)
        return
    keep(flags, cell)
    print(f"seed {seed}: last mAP50 {cell['map50'][-1]:.4f}, mAP50-95 {cell['map50_95'][-1]:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("deeppcb", type=pathlib.Path, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("out", type=pathlib.Path, help="folder for the store and runs")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--views", type=int, default=34)
    parser.add_argument("--minutes", type=float, default=0, help="of this training; it goes on when this is run again; 0: to its end")
    parser.add_argument("--threads", type=int, default=0)
    add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    store = build(flags)
    trainings = {f"seed {seed}": functools.partial(train_one, flags, store, seed) for seed in flags.seeds}
    return 1 if train_all(trainings, flags.at_once) else 0


if __name__ == "__main__":
    sys.exit(main())
