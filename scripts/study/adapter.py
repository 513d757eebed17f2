#!/usr/bin/env python3
"""Does a store change what Ultralytics' trainer learns, and how long does its epoch take? Trains its yolov8n from scratch on BCCD, once per seed
on its own dataset and once on a store, by samples/python/ultralytics_trainer.py. Everything else is at its defaults on both sides: on its own dataset
its augmentations, mosaic among them, on a store those of the store's recipe. With --plain neither augments, so both train on the same pictures.

usage: scripts/study/adapter.py BCCD OUT [--size 256] [--epochs 10] [--seeds 1 2] [--threads 2] [--plain] [--bin FOLDER] [--package FOLDER]
       scripts/study/adapter.py --page     # only writes the table of docs/how-to/python.md anew; --check: fails when it is not that

Each training is kept in scripts/study/results/adapter-SIZE-EPOCHS[-plain].json when it ends; what is there is not done again. --package: the folder of
the package letterpress (build/release/python). Peers are those of .deps/bench.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / folder) for folder in ("bench", "docs")]
import environment  # noqa: E402
import markers  # noqa: E402
from yolo_set import write_yolo  # noqa: E402

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
PAGE = ROOT / "docs" / "how-to" / "python.md"
ARMS = {"own": "its own dataset", "store": "a store"}
BATCH = 16


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bccd", type=pathlib.Path, nargs="?", help="folder with BCCD's ImageSets, JPEGImages and Annotations")
    parser.add_argument("out", type=pathlib.Path, nargs="?", help="folder for the store and the runs")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--plain", action="store_true", help="no augmentation on either side")
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "build/release/python")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def suffix(flags):
    return "-plain" if flags.plain else ""


def sources(flags):
    """Of both arms, made where they are not there."""
    lists, yolo, store = flags.bccd / "ImageSets" / "Main", flags.out / "yolo", flags.out / f"store-{flags.size}{suffix(flags)}"
    if not (yolo / "data.yaml").exists():
        shutil.rmtree(yolo, ignore_errors=True)
        write_yolo(flags.bccd, {split: (lists / f"{split}.txt").read_text().split() for split in ("train", "val")}, yolo)
    words = ["build", "--store", store, "--input", lists / "train.txt", "--val", lists / "val.txt", "--size", flags.size]
    words += ["--recipe", "none"] if flags.plain else ["--views", flags.epochs]
    subprocess.run([str(word) for word in [flags.bin / "letterpress-preprocess", *words]], check=True, stdout=subprocess.DEVNULL)
    return {"own": yolo / "data.yaml", "store": store}


def train(flags, arm, seed, source):
    words = [environment.PEERS / "bin" / "python", pathlib.Path(__file__).with_name("adapter_fit.py"), arm, source, flags.size, BATCH, flags.epochs,
             seed, flags.threads, flags.out / f"{arm}-{seed}{suffix(flags)}", *(["plain"] if flags.plain else [])]
    variables = os.environ | {"PYTHONPATH": str(flags.package.resolve())}
    finished = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, env=variables)
    machine = environment.measured_on()
    return {"arm": arm, "seed": seed} | json.loads(finished.stdout.splitlines()[-1]) | {"load": os.getloadavg()[2], "machine": machine}


def study(flags):
    file = RESULTS / f"adapter-{flags.size}-{flags.epochs}{suffix(flags)}.json"
    trainings = json.loads(file.read_text())["trainings"] if file.exists() else []
    done = {(one["arm"], one["seed"]) for one in trainings}
    flags.out.mkdir(parents=True, exist_ok=True)
    environment.install_peers()
    source = sources(flags)
    for seed in flags.seeds:
        for arm in ARMS:
            if (arm, seed) in done:
                continue
            trainings.append(train(flags, arm, seed, source[arm]))
            lines = ",\n  ".join(json.dumps(one) for one in trainings)
            protocol = json.dumps({"size": flags.size, "epochs": flags.epochs, "batch": BATCH, "threads": flags.threads, "plain": flags.plain})
            file.write_text(f'{{"protocol": {protocol},\n "trainings": [\n  {lines}\n ]}}\n')


def row(arm, seed, one, epochs):
    last, three = ([statistics.mean(one[name][-n:]) for name in ("map50", "map50_95")] for n in (1, 3))
    scores = [" / ".join(f"{value:.3f}" for value in values) for values in (last, three)]
    return f"| {ARMS[arm]} | {seed} | {scores[0]} | {scores[1]} | {min(one['train_s']):.1f} | {one['processor_s'] / epochs:.1f} |"


def tables():
    lines = []
    for file in sorted(RESULTS.glob("adapter-*.json")):
        read = json.loads(file.read_text())
        protocol, trainings = read["protocol"], read["trainings"]
        first = trainings[0]
        lines += [f"Ultralytics {first['version']}, yolov8n from scratch, BCCD at {protocol['size']} pixels, {'without augmentation, ' if protocol.get('plain') else ''}{protocol['epochs']} epochs, batches of "
                  f"{protocol['batch']}, {protocol['threads']} {'thread' if protocol['threads'] == 1 else 'threads'} ({first['machine']['processor']}, {first['machine']['date']}; other work ran "
                  f"beside it, a load of {max(one['load'] for one in trainings):.0f}).", "",
                  "| dataset | seed | last epoch: mAP50 / mAP50-95 | mean of the last three | fastest epoch's training, s | processor s per epoch, all in all |",
                  "|---|---:|---:|---:|---:|---:|"]
        ordered = sorted(trainings, key=lambda one: (one["seed"], one["arm"]))
        lines += [row(one["arm"], one["seed"], one, protocol["epochs"]) for one in ordered] + [""]
    return "\n".join(lines).rstrip() or "No training is recorded yet."


def page():
    return markers.page_with(PAGE, "scripts/study/adapter.py", {"adapter": tables()})


def main():
    flags = parse()
    if flags.check and page() != PAGE.read_text():
        sys.exit(f"the table in {PAGE.name} is not what the results say; run scripts/study/adapter.py --page")
    if not (flags.page or flags.check):
        if not (flags.bccd and flags.out):
            sys.exit("adapter.py: name the folder of BCCD and one for the runs")
        study(flags)
    if not flags.check:
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
