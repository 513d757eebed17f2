#!/usr/bin/env python3
"""Finds wrong labels: boxes that are missing, superfluous (extra), shifted or of a wrong class (swapped).

Splits the set into folds, trains a model per fold on the others, and compares each label with what is predicted by the model that has not seen it. It
takes any set of boxes that `letterpress-preprocess build` reads, from folders, not from an archive.

usage: scripts/label_errors.py --data LABELS... --out FOLDER [--folds 4] [--epochs 30] [--size 416] [--model yolov8n] ...

OUT/pictures.csv   all pictures, the worst first, with the kind of error that most of their doubtful objects have
OUT/boxes.csv      all doubtful boxes, the worst first: the kind, the label, what is predicted instead
OUT/page.html      the worst pictures, drawn
OUT/work           stores, runs and predictions; the same command goes on there when it was stopped. Remove it to begin anew
"""
import argparse
import csv
import pathlib
import shlex
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "labels"))
import folds  # noqa: E402
import page  # noqa: E402
import ranking  # noqa: E402
import sets  # noqa: E402


def programs_in(folder):
    """The folder of the programs: given, of PATH, or of the release build."""
    known = shutil.which("letterpress-trainer")
    return folder or (pathlib.Path(known).parent if known else ROOT / "build/release/bin")


def add_training(parser):
    """Flags of how the judges are trained."""
    parser.add_argument("--folds", type=int, default=4, help="models; each is trained on all pictures but those of its fold")
    parser.add_argument("--model", default="yolov8n", help="of `letterpress-trainer fit`")
    parser.add_argument("--epochs", type=int, default=30, help="of each training")
    parser.add_argument("--size", type=int, default=416, help="pixels of the frame's side")
    parser.add_argument("--views", default="8", help="augmented views per picture, of `letterpress-preprocess build`")
    parser.add_argument("--batch", type=int, default=8, help="pictures per step")
    parser.add_argument("--seed", type=int, default=1, help="of the trainings")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads of each; 0: all cores")
    parser.add_argument("--build", type=shlex.split, default=[], metavar="FLAGS", help="further flags of the folds' build: '--recipe inspect'")
    parser.add_argument("--fit", type=shlex.split, default=[], metavar="FLAGS", help="further flags of fit: '--pretrained yolov8n.pt'")
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the programs; none given: that of PATH, else build/release/bin")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help="label files or folders, as `letterpress-preprocess build --input` takes them")
    parser.add_argument("--read", type=shlex.split, default=[], metavar="FLAGS", help="how to read them, flags of build: '--format voc --root pictures'")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the lists, made when absent")
    parser.add_argument("--pictures", type=int, default=24, help="how many pictures the page shows")
    add_training(parser)
    return parser.parse_args(words)


def check(whole, n, data):
    """Whether there is something to train and to judge."""
    if not whole["annotations"]:
        raise sets.Failed(f"{' '.join(data)}: has no boxes; label errors are found in sets of boxes only")
    if not 2 <= n <= len(whole["images"]):
        raise sets.Failed(f"--folds is {n}, must be 2 to {len(whole['images'])}, the number of pictures")


def write_rows(file, rows):
    with open(file, "w", newline="") as out:
        csv.writer(out).writerows(rows)


def main(words):
    options = parse(words)
    programs, out = programs_in(options.bin), options.out.resolve()
    try:
        (out / "work").mkdir(parents=True, exist_ok=True)
        whole = sets.gather(programs, options.data, out / "work", options.read)
        check(whole, options.folds, options.data)
        found = folds.findings(programs, whole, out / "work", options)
    except (sets.Failed, OSError) as error:
        return f"label_errors.py: {error}"
    pictures = ranking.worst_pictures([one["id"] for one in whole["images"]], whole["annotations"], found)
    write_rows(out / "pictures.csv", ranking.picture_rows(whole, pictures))
    write_rows(out / "boxes.csv", ranking.box_rows(whole, found))
    (out / "page.html").write_text(page.page(whole, pictures[: options.pictures], out))
    print(f"{len(pictures)} pictures, {len(whole['annotations'])} labels, {len(found)} doubts; look at {out / 'page.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
