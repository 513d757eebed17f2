#!/usr/bin/env python3
"""Plants label errors in BCCD and checks whether the loss ledger finds them: trains on labels of which some are wrong, then prints at which ranks of
`report --worst` the wrong ones come. Exit 1 when too few of them are among the worst.

usage: scripts/label_errors.py [--data ../shared/data/bccd] [--errors 8] [--seed 1] [--epochs 12] [--worst 24] [--share 0.75] [--bin build/release/bin]

The pictures are drawn from the train list by --seed; in turn, each has the classes of all its boxes exchanged, every second box left out, all boxes
moved by half their width and height, or the labels of another picture. The model sees them in training as all others. The order is that of the loss
per label: by the sum, a picture with many labels is worse than one with a few wrong ones, and one with too few labels is the best.
--init takes over the weights of a run, for a short try; what that run was trained on decides what the numbers then mean.
"""
import argparse
import csv
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/bccd", help="BCCD as published")
    parser.add_argument("--errors", type=int, default=8, help="pictures that get wrong labels")
    parser.add_argument("--seed", type=int, default=1, help="of which pictures they are, and of the training")
    parser.add_argument("--model", default="yolov8n", help="of `letterpress-trainer fit`")
    parser.add_argument("--epochs", type=int, default=12, help="of training")
    parser.add_argument("--precision", default="bf16", help="of training and of the ledger")
    parser.add_argument("--init", type=pathlib.Path, help="a run to start from; none given: random weights")
    parser.add_argument("--by", default="per-label", help="order of the ledger, as of `report`: loss, per-label or a term")
    parser.add_argument("--worst", type=int, default=24, help="pictures that one is ready to look at")
    parser.add_argument("--share", type=float, default=0.75, help="of the wrong ones that must be among these")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--folder", type=pathlib.Path, help="where to work, and what stays: the same command goes on there; none given: a temporary one")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the programs")
    return parser.parse_args()


def run(*words):
    finished = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if finished.returncode != 0:
        sys.exit(f"label_errors.py: {' '.join(map(str, words))}: exit {finished.returncode}: {finished.stderr}")


def exchange_classes(root, _):
    names = {"RBC": "WBC", "WBC": "Platelets", "Platelets": "RBC"}
    for name in root.iterfind("object/name"):
        name.text = names[name.text]


def leave_out(root, _):
    for object_ in root.findall("object")[::2]:
        root.remove(object_)


def move(root, _):
    """Inwards, so that no box leaves the picture that did not before."""
    width, height = (float(root.find(f"size/{side}").text) for side in ("width", "height"))
    for box in root.iterfind("object/bndbox"):
        for low, high, side in (("xmin", "xmax", width), ("ymin", "ymax", height)):
            first, last = float(box.find(low).text), float(box.find(high).text)
            shift = (last - first) / 2 * (1 if first + last < side else -1)
            box.find(low).text, box.find(high).text = str(first + shift), str(last + shift)


def take_labels_of(root, other):
    for object_ in root.findall("object"):
        root.remove(object_)
    root.extend(other.findall("object"))


KINDS = {"classes exchanged": exchange_classes, "every second box left out": leave_out, "boxes moved": move, "another picture's labels": take_labels_of}


def plant(data, folder, errors, seed):
    """BCCD in `folder`, wrong where drawn; {name of the picture: what is wrong with it}."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "JPEGImages").symlink_to((data / "JPEGImages").resolve())
    for part in ("Annotations", "ImageSets"):
        shutil.copytree(data / part, folder / part, copy_function=shutil.copyfile)
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    drawn = random.Random(seed).sample((data / "ImageSets/Main/train.txt").read_text().split(), 2 * errors)
    planted = {}
    for i, (name, other) in enumerate(zip(drawn[:errors], drawn[errors:])):
        kind = list(KINDS)[i % len(KINDS)]
        tree, others = (xml.etree.ElementTree.parse(data / "Annotations" / f"{one}.xml") for one in (name, other))
        KINDS[kind](tree.getroot(), others.getroot())
        tree.write(folder / "Annotations" / f"{name}.xml")
        planted[name] = kind
    return planted


def ledger(folder, arguments):
    """Names of the train split's pictures, the worst first, after training on them."""
    lists = folder / "bccd-with-errors/ImageSets/Main"
    run(arguments.bin / "letterpress-preprocess", "build", "--store", folder / "store", "--input", lists / "train.txt", "--input", lists / "test.txt",
        "--val", lists / "val.txt", "--root", arguments.data, "--size", 416, "--views", 4)
    trainer = arguments.bin / "letterpress-trainer"
    alike = ("--batch", 16, "--device", "cpu", "--precision", arguments.precision, "--threads", arguments.threads)
    start = ("--init", arguments.init) if arguments.init else ()
    run(trainer, "fit", "--store", folder / "store", "--model", arguments.model, "--out", folder / "run", "--epochs", arguments.epochs,
        "--seed", arguments.seed, "--resume", *start, *alike)
    run(trainer, "report", "--run", folder / "run", "--worst", arguments.worst, "--by", arguments.by, "--out", folder / "worst.csv", *alike)
    with open(folder / "worst.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(folder / "run/results.csv", newline="") as file:
        map50 = max(float(row["map50"]) for row in csv.DictReader(file))
    print(f"{arguments.model}, {arguments.epochs} epochs: best mAP50 {map50:.3f}; {len(rows)} pictures, the worst by {arguments.by} first")
    return [pathlib.Path(row["path"]).stem for row in rows]


def main():
    arguments = parse()
    if not (arguments.data / "ImageSets/Main").is_dir():
        sys.exit(f"label_errors.py: {arguments.data} is not BCCD as published (github.com/Shenggan/BCCD_Dataset); --data says where it is")
    with tempfile.TemporaryDirectory(prefix="letterpress-label-errors-") as name:
        folder = (arguments.folder or pathlib.Path(name)).resolve()
        planted = plant(arguments.data, folder / "bccd-with-errors", arguments.errors, arguments.seed)
        order = ledger(folder, arguments)
    ranks = sorted((order.index(name) + 1, name) for name in planted)
    for rank, name in ranks:
        print(f"rank {rank:4}  {name}  {planted[name]}")
    found = sum(rank <= arguments.worst for rank, _ in ranks)
    chance = len(ranks) * arguments.worst / len(order)
    print(f"{found} of {len(ranks)} wrong pictures are among the worst {arguments.worst} of {len(order)}; by chance {chance:.1f} would be")
    if found < arguments.share * len(ranks):
        sys.exit(f"label_errors.py: fewer than {arguments.share:.0%} of them")


if __name__ == "__main__":
    main()
