#!/usr/bin/env python3
"""Plants label errors of four kinds in BCCD and measures how many of them scripts/label_errors.py finds, beside the ranks of `report --worst` by models
that have seen the wrong labels.

usage: scripts/proof/planted_labels.py --work FOLDER [--data ../shared/data/bccd] [--errors-seed 2] [--share 0.1] [--of-boxes 0.5] [--jobs 2] [--threads 1] ...
       scripts/proof/planted_labels.py --page   # only writes the table of docs/how-to/label-errors.md anew; --check: fails when it is not that

A tenth of the pictures is wrong, each in one way, in half of its boxes (--of-boxes), drawn by --errors-seed. A planted picture is found when it is in the first
15 % of the pictures, a planted box when a finding in its place (IoU 0.5) is in the first 15 % of the list of boxes, as many as 15 % of the labels. What
the set's own labels lack or have too much competes with what is planted. The one model's share is that of the folds' models
together, each about the pictures that it was trained on. The same command goes on with what is in --work.
"""
import argparse
import collections
import csv
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/labels"), str(ROOT / "scripts/docs")]
import folds  # noqa: E402
import judge  # noqa: E402
import label_errors  # noqa: E402
import markers  # noqa: E402
import plant  # noqa: E402
import ranking  # noqa: E402
import sets  # noqa: E402

RESULT = ROOT / "scripts/proof/results/planted_labels.json"
PAGE = ROOT / "docs/how-to/label-errors.md"
LOOKED_AT, BAR = 0.15, 0.7


def parse(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data/bccd")
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--of-boxes", type=float, default=0.5)
    parser.add_argument("--errors-seed", type=int, default=2)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    label_errors.add_training(parser)
    parser.set_defaults(size=256)
    return parser.parse_args(words)


def first_share(n):
    return round(LOOKED_AT * n)


def recalled(planted, is_found):
    """{kind: [found, planted]} of (kind, thing) pairs."""
    counts = {kind: [0, 0] for kind in judge.KINDS}
    for kind, thing in planted:
        counts[kind][0] += bool(is_found(thing))
        counts[kind][1] += 1
    return counts


def of_pictures(planted, order):
    """order: ids of pictures, the worst first; planted pictures that it does not have do not count."""
    first, known = set(order[: first_share(len(order))]), set(order)
    kinds = {one["image_id"]: one["kind"] for one in planted}
    return recalled([(kind, image) for image, kind in kinds.items() if image in known], first.__contains__)


def of_boxes(planted, found, labels):
    first = collections.defaultdict(list)
    for one in found[: first_share(labels)]:
        first[one.about["image_id"]].append(one.about["bbox"])
    return recalled([(one["kind"], one) for one in planted],
                    lambda one: any(judge.overlap(box, one["bbox"]) >= judge.SAME for box in first[one["image_id"]]))


def worst_of(programs, folder, options, ids):
    """Ids of the pictures that a fold's model was trained on, by its own loss per label."""
    file = folder / "worst.csv"
    if not file.exists():
        sets.run(programs / "letterpress-trainer", "report", "--run", folder / "run/last.safetensors", "--store", folder / "store", "--split", "train",
                 "--worst", 1, "--by", "per-label", "--batch", options.batch, "--device", options.device, "--threads",
                 options.threads, "--out", file)
    with open(file, newline="") as rows:
        return [ids[row["path"]] for row in csv.DictReader(rows)]


def one_model(programs, whole, planted, options):
    """Sums over the folds' models."""
    ids = {image["file_name"]: image["id"] for image in whole["images"]}
    counts = {kind: [0, 0] for kind in judge.KINDS}
    for i in range(1, options.folds + 1):
        for kind, (found, all_) in of_pictures(planted, worst_of(programs, options.work / f"fold-{i}", options, ids)).items():
            counts[kind] = [counts[kind][0] + found, counts[kind][1] + all_]
    return counts


def measure(options):
    programs, lists = label_errors.programs_in(options.bin), options.data / "ImageSets/Main"
    options.work.mkdir(parents=True, exist_ok=True)
    right = sets.gather(programs, [lists / "trainval.txt", lists / "test.txt"], options.work)
    whole, planted = plant.in_pictures(right, options.share, options.of_boxes, options.errors_seed)
    found = folds.findings(programs, whole, options.work, options)
    pictures = ranking.worst_pictures([one["id"] for one in whole["images"]], whole["annotations"], found)
    protocol = {name: getattr(options, name) for name in ("errors_seed", "share", "of_boxes", "folds", "seed", "model", "epochs", "size", "views", "batch")}
    return {"date": time.strftime("%Y-%m-%d"), "protocol": protocol, "images": len(pictures), "labels": len(whole["annotations"]),
            "pictures": of_pictures(planted, [one.image for one in pictures]), "boxes": of_boxes(planted, found, len(whole["annotations"])),
            "one_model": one_model(programs, whole, planted, options)}


def share_text(counts):
    found, planted = counts
    return f"{found / planted:.2f}" if planted else ""


def below_bar(counts):
    """Kinds of which a smaller share than BAR was found. counts: {kind: [found, planted]}"""
    return [kind for kind in judge.KINDS if counts[kind][0] < BAR * counts[kind][1]]


def bar_text(result):
    """Whether each kind's recall in the first part of either list is what it must be."""
    def said(lists):
        missed = [f"{kind} ({share_text(result[lists][kind])})" for kind in below_bar(result[lists])]
        return f"by {lists}, " + (f"{' and '.join(missed)} {'are' if len(missed) > 1 else 'is'} below it" if missed else "all kinds reach it")

    return (f"Wanted: a recall of at least {BAR} in the first {LOOKED_AT:.0%} of the list for each kind. "
            f"{said('pictures').capitalize()}; {said('boxes')}.")


def page():
    """The docs page with the results' table in it."""
    result = json.loads(RESULT.read_text())
    protocol = result["protocol"]
    said = (f"Of {result['images']} pictures {protocol['share']:.0%} were wrong, in {protocol['of_boxes']:.0%} of their boxes "
            f"(seed {protocol['errors_seed']}); {protocol['folds']} folds, "
            f"{protocol['model']} from scratch, {protocol['epochs']} epochs at {protocol['size']} pixels.")
    lines = ["| kind | pictures planted | found | by one model that saw them | boxes planted | found |", "|---|---:|---:|---:|---:|---:|"]
    for kind in judge.KINDS:
        pictures, boxes = result["pictures"][kind], result["boxes"][kind]
        one = share_text(result["one_model"][kind])
        lines.append(f"| {kind} | {pictures[1]} | {share_text(pictures)} | {one} | {boxes[1]} | {share_text(boxes)} |")
    return markers.page_with(PAGE, "scripts/proof/planted_labels.py", {"planted": "\n".join([said, "", *lines, "", bar_text(result)])})


def main(words):
    options = parse(words)
    if options.check and page() != PAGE.read_text():
        return f"the table in {PAGE.name} is not what {RESULT.name} says; run scripts/proof/planted_labels.py --page"
    if not (options.check or options.page):
        if not options.work:
            return "planted_labels.py: no --work given; name a folder for stores and runs"
        RESULT.write_text(json.dumps(measure(options), indent=1) + "\n")
    if not options.check:
        PAGE.write_text(page())
    too_few = below_bar(json.loads(RESULT.read_text())["pictures"])
    return f"planted_labels.py: fewer than {BAR:.0%} of the pictures are found of: {', '.join(too_few)}" if too_few else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
