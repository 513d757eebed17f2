#!/usr/bin/env python3
"""Trains yolov8n from scratch on BCCD at 416, 30 epochs in batches of 16 on the CPU, once per seed, and compares the means over the
seeds with what they must be: train and test lists to train, val list to validate. Made for these pictures: recipe samples/recipes/cells.toml
with 10 views; --defaults: as a stranger would, without any flag that the programs choose by themselves. An hour on two cores. What is in OUT
already is not done again, so it can be stopped and started again. --json FILE: what each epoch measured, for the table in docs/accuracy.md.
usage: scripts/accuracy.py BCCD OUT [--defaults] [--seeds 1 2 3] [--threads 0] [--json FILE] [--bin build/release/bin]"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts" / folder) for folder in ("bench", "study")]
import cells  # noqa: E402
import environment  # noqa: E402

WANTED = {"map50": 0.82, "map50_95": 0.50}
WANTED_OF_DEFAULTS = {"map50": 0.86, "map50_95": 0.565}
TRAINING = "--model yolov8n --epochs 30 --device cpu".split()
CHOSEN = "--batch 16 --lr 0.002 --warmup 3 --clean-epochs 3 --precision bf16".split()


def run(words):
    """The summary that the program prints last."""
    result = subprocess.run([str(word) for word in words] + ["--json"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"accuracy.py: {' '.join(map(str, words))} ended with {result.returncode}")
    return json.loads(result.stdout.strip().splitlines()[-1])


def build(flags):
    lists = flags.bccd / "ImageSets/Main"
    words = ["--input", lists / "train.txt", "--input", lists / "test.txt", "--val", lists / "val.txt"]
    recipe = [] if flags.defaults else ["--views", 10, "--recipe", ROOT / "samples/recipes/cells.toml"]
    run([flags.bin / "letterpress-preprocess", "build", "--store", flags.out / "store", *words, "--size", 416, *recipe])


def train(flags, seed):
    out = flags.out / f"seed-{seed}"
    begun = ["--resume"] if (out / "last.safetensors").exists() else []
    words = ["--store", flags.out / "store", "--out", out, "--seed", seed, "--threads", flags.threads]
    return run([flags.bin / "letterpress-trainer", "fit", *words, *TRAINING, *([] if flags.defaults else CHOSEN), *begun])["best"]


def write(flags, wanted):
    """What each epoch measured, for scripts/study/page.py."""
    machine = {name: environment.machine()[name] for name in ("processor", "date")}
    trainings = [{"seed": seed, **cells.curves_of(flags.out / f"seed-{seed}"), "machine": machine} for seed in flags.seeds]
    cells.write(flags.json, {"set": "bccd", "size": 416, "epochs": 30, "model": "yolov8n", "wanted": wanted}, trainings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bccd", type=pathlib.Path, help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--defaults", action="store_true", help="no recipe, no number of views, no learning rate, ...")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    build(flags)
    bests = []
    for seed in flags.seeds:
        bests.append(train(flags, seed))
        print(f"seed {seed}: best epoch {bests[-1]['epoch']}, mAP50 {bests[-1]['map50']:.4f}, mAP50-95 {bests[-1]['map50_95']:.4f}", flush=True)
    wanted = WANTED_OF_DEFAULTS if flags.defaults else WANTED
    if flags.json:
        write(flags, wanted)
    means = {name: statistics.mean(best[name] for best in bests) for name in wanted}
    for name, mean in means.items():
        print(f"mean {name} {mean:.4f}, must be {wanted[name]} or more")
    return any(means[name] < least for name, least in wanted.items())


if __name__ == "__main__":
    sys.exit(main())
