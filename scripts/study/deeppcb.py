#!/usr/bin/env python3
"""DeepPCB by its own lists at full resolution: yolov8n from scratch, and what an inspection needs of it: how many defects are found while 95, 98 and 99 % of the detections are right.

usage: scripts/study/deeppcb.py DEEPPCB OUT [--arms boards "detect batch=8"] [--seeds 1] [--epochs 100] [--views 34] [--minutes 60] [--threads 0]
       [--bin build/release/bin] [--device cuda:0] [--at-once 3]

An arm is a recipe (a shipped one, or a file of samples/recipes) and what else `fit` is given beside its defaults. 1,000 pictures to train, 500 to
validate, 640 pixels. A store of 34 views (one for every three epochs) is deflated: these pictures are nearly black and white, so it takes a tenth of
its 42 GB. Each training is a cell of scripts/study/results/deeppcb-640-100.json: what is there whole is not done again, and what was stopped, whose
epochs are there, goes on from its last checkpoint. `scripts/study/page.py` makes the table. Stores and runs lie in OUT.
"""
import argparse
import functools
import pathlib
import sys

from cells import BUILDING, KEEPING, RESULTS, Cell, add_machine_flags, curves_of, read, run, train_all, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402

SIZE, MODEL, PRECISION = 640, "yolov8n", "bf16"
PRECISIONS = (0.95, 0.98, 0.99)


def file_of(flags):
    return RESULTS / f"deeppcb-{SIZE}-{flags.epochs}.json"


def recipe_of(arm):
    """A file of samples/recipes, or else the name of a shipped recipe."""
    name = arm.split()[0]
    file = ROOT / "samples" / "recipes" / f"{name}.toml"
    return file if file.exists() else name


def build(flags, arm):
    store, lists = flags.out / f"store-{arm.split()[0]}", flags.deeppcb
    words = ["--input", lists / "train.txt", "--val", lists / "test.txt", "--classes", lists / "classes.txt", "--format", "keras", "--recipe", recipe_of(arm)]
    words += ["--size", SIZE, "--views", flags.views, "--epochs-planned", flags.epochs, "--compress", "deflate", "--threads", flags.threads, "--json"]
    with BUILDING:
        run([flags.bin / "letterpress-preprocess", "build", "--store", store, *words])
    return store


def point(flags, store, checkpoint, precision):
    """What is found while that share of the detections is right; nothing where it never is."""
    words = ["--store", store, "--checkpoint", checkpoint, "--at-precision", precision, "--precision", PRECISION, "--threads", flags.threads]
    words += ["--device", flags.device, "--json"]
    points = run([flags.bin / "letterpress-trainer", "eval", *words])["points"]
    found = next((point for point in points if point["name"] == "at_precision"), {})
    return {"asked": precision} | {name: found[name] for name in ("confidence", "precision", "recall", "false_per_picture") if name in found}


def train(flags, cell):
    """Without the points when the time was over before its last epoch."""
    store, out = build(flags, cell.arm), flags.out / cell.name
    words = ["--store", store, "--model", MODEL, "--epochs", flags.epochs, *cell.flags(), "--seed", cell.seed, "--out", out, "--precision", PRECISION]
    words += ["--device", flags.device, "--threads", flags.threads, "--resume", "--json"]
    if flags.minutes:
        words += ["--time-budget", flags.minutes]
    fitted = run([flags.bin / "letterpress-trainer", "fit", *words])
    is_whole = fitted["ending"] == "complete"
    points = [point(flags, store, out / "last.safetensors", precision) for precision in PRECISIONS] if is_whole else []
    measured = {"seconds": fitted["seconds"], "points": points, "machine": environment.measured_on(flags.device)}
    return curves_of(out) | {"arm": cell.arm, "seed": cell.seed} | measured


def keep(flags, trained):
    protocol = {"size": SIZE, "model": MODEL, "precision": PRECISION, "epochs": flags.epochs, "views": flags.views}
    with KEEPING:
        others = [one for one in read(file_of(flags)) if (one["arm"], one["seed"]) != (trained["arm"], trained["seed"])]
        write(file_of(flags), protocol, sorted([*others, trained], key=lambda one: (one["arm"], one["seed"])))


def train_one(flags, cell):
    if (cell.arm, cell.seed) in [(done["arm"], done["seed"]) for done in read(file_of(flags)) if done["points"]]:
        return
    trained = train(flags, cell)
    keep(flags, trained)
    unfinished = "" if trained["points"] else f"not finished after {len(trained['map50'])} epochs, run again to go on; "
    print(f"{cell.name}: {unfinished}last mAP50 {trained['map50'][-1]:.4f}, mAP50-95 {trained['map50_95'][-1]:.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("deeppcb", type=pathlib.Path, help="folder with DeepPCB's train.txt, test.txt, classes.txt and images")
    parser.add_argument("out", type=pathlib.Path, help="folder for the stores and runs")
    parser.add_argument("--arms", nargs="+", default=["boards"], help="each a recipe, and flags of fit behind it: \"boards batch=8\"")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--views", type=int, default=34)
    parser.add_argument("--minutes", type=float, default=0, help="of each training; it goes on when this is run again; 0: to its end")
    parser.add_argument("--threads", type=int, default=0)
    add_machine_flags(parser)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    trainings = [Cell(arm, seed) for arm in flags.arms for seed in flags.seeds]
    return 1 if train_all({cell.name: functools.partial(train_one, flags, cell) for cell in trainings}, flags.at_once) else 0


if __name__ == "__main__":
    sys.exit(main())
