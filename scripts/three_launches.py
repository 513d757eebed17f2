#!/usr/bin/env python3
"""Trains on BCCD with one rank, then with two that share its batches, started by --ranks, by torchrun and by mpirun, and prints the four loss curves.
Exit 1 when the three are not the same, or further from that of one rank than rounding explains.

usage: scripts/three_launches.py [--data ../shared/data/bccd] [--pictures 45] [--epochs 5] [--batch 15] [--model yolov3-tiny] [--bin build/release/bin]

fp32 on the CPU, from random weights, norms over both ranks' pictures (--sync-batch-norm); 15 pictures are 8 and 7 of two ranks.
Two ranks add up in another order than one, most of all in the norms: PyTorch's kernel for channels_last on CPUs adds a thread's part one by one
in float32. What training makes of that is measured in the same run: one rank once more, with four times the threads, computes the same in
other parts. The ranks may be --times as far from one rank as that is.
scripts/setup.sh --tests installs torchrun and mpirun.
"""
import argparse
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TORCH = ROOT / ".deps" / "torch"
PYTHON = ROOT / ".deps" / "test" / "bin" / "python"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/bccd", help="BCCD as published")
    parser.add_argument("--pictures", type=int, default=45, help="of the train list, the first")
    parser.add_argument("--size", type=int, default=416, help="side of the store's frames, pixels")
    parser.add_argument("--epochs", type=int, default=5, help="points of the curves")
    parser.add_argument("--batch", type=int, default=15, help="pictures per step, over all ranks")
    parser.add_argument("--model", default="yolov3-tiny", help="of `letterpress-trainer fit`")
    parser.add_argument("--optimiser", default="sgd", help="of `letterpress-trainer fit`; adamw makes a whole step of the rounding of a small gradient")
    parser.add_argument("--lr", type=float, default=0.001, help="of `letterpress-trainer fit`")
    parser.add_argument("--threads", type=int, default=1, help="per rank")
    parser.add_argument("--times", type=float, default=3, help="as far as more threads are, largest relative difference of a point")
    parser.add_argument("--folder", type=pathlib.Path, help="where to work, and what stays: the same command goes on there; none given: a temporary one")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the programs")
    return parser.parse_args()


def run(words, **options):
    """What the program says on stderr."""
    finished = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if finished.returncode != 0:
        sys.exit(f"three_launches.py: {' '.join(map(str, words))}: exit {finished.returncode}: {finished.stderr}")
    return finished.stderr


def build(folder, arguments):
    """A store of the first pictures of the list."""
    labels = folder / "first-of-bccd/ImageSets/Main/train.txt"
    labels.parent.mkdir(parents=True, exist_ok=True)
    for part in ("JPEGImages", "Annotations"):
        link = labels.parents[2] / part
        link.unlink(missing_ok=True)
        link.symlink_to((arguments.data / part).resolve())
    names = (arguments.data / "ImageSets/Main/train.txt").read_text().split()[: arguments.pictures]
    labels.write_text("".join(f"{name}\n" for name in names))
    words = ["--input", labels, "--root", arguments.data, "--size", arguments.size, "--views", 1]
    run([arguments.bin / "letterpress-preprocess", "build", "--store", folder / "store", *words])


def launches():
    """{name: (words before the program, its further flags, more of the environment)}; `name` is what fit calls the launcher."""
    torchrun = [PYTHON, "-m", "torch.distributed.run", "--nnodes", 1, "--nproc-per-node", 2, "--rdzv-backend", "c10d"]
    torchrun += ["--rdzv-endpoint", "127.0.0.1:0", "--rdzv-id", "letterpress", "--local-addr", "127.0.0.1", "--no-python"]
    mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "-n", 2]
    return {"--ranks": ([], ["--ranks", 2], {}), "torchrun": (torchrun, [], {"PYTHONPATH": str(TORCH)}), "mpirun": (mpirun, [], {})}


def curve(folder, arguments, name, launch=([], [], {}), times=1):
    """Loss of each epoch, with so many times the threads."""
    before, flags, more = launch
    out = folder / f"run {name}"
    words = [*before, arguments.bin.resolve() / "letterpress-trainer", "fit", "--store", folder / "store", "--model", arguments.model, "--out", out]
    words += ["--epochs", arguments.epochs, "--batch", arguments.batch, "--device", "cpu", "--precision", "fp32", "--sync-batch-norm", "--resume"]
    said = run([*words, "--optimiser", arguments.optimiser, "--lr", arguments.lr, "--threads", times * arguments.threads, *flags], env=os.environ | more)
    if before + flags and f"one of 2 ranks ({name})" not in said:
        sys.exit(f"three_launches.py: {name} started no two ranks: {said}")
    with open(out / "results.csv", newline="") as file:
        losses = [float(row["loss"]) for row in csv.DictReader(file)]
    print(f"three_launches: {name}: {' '.join(f'{loss:g}' for loss in losses)}", file=sys.stderr, flush=True)
    return losses


def check(arguments):
    if not (arguments.data / "ImageSets/Main").is_dir():
        sys.exit(f"three_launches.py: {arguments.data} is not BCCD as published (github.com/Shenggan/BCCD_Dataset); --data says where it is")
    if not (TORCH / "torch/distributed/run.py").exists() or not PYTHON.exists() or not shutil.which("mpirun"):
        sys.exit("three_launches.py: torchrun (.deps/torch, .deps/test) or mpirun is not here; scripts/setup.sh --tests installs both")


def main():
    arguments = parse()
    check(arguments)
    with tempfile.TemporaryDirectory(prefix="letterpress-launches-") as name:
        folder = (arguments.folder or pathlib.Path(name)).resolve()
        build(folder, arguments)
        alone = curve(folder, arguments, "alone")
        curves = {"4x threads": curve(folder, arguments, "4x threads", times=4)}
        curves |= {name: curve(folder, arguments, name, launch) for name, launch in launches().items()}
    print(f"{arguments.model}, {arguments.pictures} pictures of BCCD, {arguments.size} x {arguments.size}, batches of {arguments.batch}, fp32: loss\n")
    print("epoch    one rank" + "".join(f"{name:>12}" for name in curves))
    for i, loss in enumerate(alone):
        print(f"{i + 1:5}{loss:12.6g}" + "".join(f"{losses[i]:12.6g}" for losses in curves.values()))
    apart = {name: max(abs(a - b) / abs(a) for a, b in zip(alone, losses, strict=True)) for name, losses in curves.items()}
    print("apart" + " " * 12 + "".join(f"{value:12.1e}" for value in apart.values()))
    allowed = arguments.times * apart.pop("4x threads")
    far = [name for name, value in apart.items() if not value <= allowed]
    if far:
        sys.exit(f"three_launches.py: {', '.join(far)}: further than {allowed:.1e} from one rank")
    if len({tuple(curves[name]) for name in apart}) != 1:
        sys.exit("three_launches.py: the three launches of the same two ranks have different curves")


if __name__ == "__main__":
    main()
