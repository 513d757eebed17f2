#!/usr/bin/env python3
"""Imports YOLOv8 and YOLO11 files that Ultralytics writes now, in every way that people save them, and compares what our network computes with what
its own does.

usage: scripts/proof/import_agreement.py --python PYTHON... [--bin build/ci/bin] [--model yolov8n] [--epochs 40] [--keep FOLDER] [--json FILE]

Each PYTHON is one that has a release of ultralytics with torch and onnx (`python3 -m venv v && v/bin/pip install ultralytics onnx`);
yolo11 needs 8.3 or newer.
write_ultralytics.py trains with it on drawn pictures, which takes a few minutes, and saves module and state dict, half, fused and wrapped.
Each file is imported. Then
    raw         what the heads' convolutions give, from our export and from Ultralytics' own ONNX export of the same training, in
                onnxruntime: the largest difference of any number, 1e-4 or less
    boxes       what letterpress-predict finds (suppressed by Ultralytics' rule) and what Ultralytics finds: as many, of the same classes, IoU 0.99 or more
    permuted    with --classes in another order: the same numbers, the classes' in that order
--keep: where files are written, and taken from if they are there. --json adds to the counts of other releases and models that the file has.
Exit 1: something differs by more. scripts/setup.sh --tests installs
what this script imports.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy
import onnxruntime

from disturb import finish

PROMISE = "weights that Ultralytics saves, in every way that people do, compute here what they compute there"
HERE = pathlib.Path(__file__).resolve().parent
RAW, OVERLAP, SCORE = 1e-4, 0.99, 1e-3
WHOLE = ["best", "module", "half", "fused", "wrapped", "state", "state_half", "state_fused", "state_wrapped", "state_whole", "epoch"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], help="programs with a release of ultralytics each")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parents[1] / "build" / "ci" / "bin")
    parser.add_argument("--model", default="yolov8n")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, help="a file for the counts")
    return parser.parse_args()


def run(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if result.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}: exit {result.returncode}\n{result.stderr}")
    return result.stdout


def session_of(file):
    return onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])


def their_raw(folder, name, facts, images):
    """By side of the head's output: [1, 64 + classes, h, w]; of each scale one convolution gives boxes and one classes."""
    heads = facts["heads"][name]
    outputs = session_of(folder / f"{name}.onnx").run(list(heads), {"images": images})
    by_side = {}
    for values in sorted(outputs, key=lambda values: values.shape[1] != 64):
        by_side.setdefault(values.shape[2], []).append(values)
    return {side: numpy.concatenate(parts, 1) for side, parts in by_side.items()}


def our_raw(bin_folder, checkpoint, images):
    file = checkpoint.with_suffix(".onnx")
    run(bin_folder / "letterpress-trainer", "export", "--checkpoint", checkpoint, "--to", "onnx", "--output", "raw", "--out", file)
    return {values.shape[2]: values for values in session_of(file).run(None, {"images": images})}


def furthest(ours, theirs, rows=None):
    """rows: our rows' places in theirs."""
    differences = []
    for side, values in theirs.items():
        wanted = values if rows is None else values[:, rows]
        differences.append(float(numpy.abs(ours[side] - wanted).max()))
    return max(differences)


def overlap(a, b):
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


def suppress(boxes, iou):
    """As Ultralytics' predict does: each place counts for its best class only, then greedily within a class. letterpress-predict's ways
    let a place count for each of its classes, or drop boxes of other classes, too."""
    best = {}
    for box in boxes:
        place = tuple(box[:4])
        if place not in best or best[place][4] < box[4]:
            best[place] = box
    kept = []
    for box in sorted(best.values(), key=lambda box: -box[4]):
        if all(other[5] != box[5] or overlap(box, other) <= iou for other in kept):
            kept.append(box)
    return kept


def our_boxes(bin_folder, checkpoint, pictures, facts, folder):
    """By picture; folder: for what predict writes."""
    run(bin_folder / "letterpress-predict", "--checkpoint", checkpoint, "--input", pictures, "--out", folder, "--no-draw", "--device", "cpu",
        "--conf", facts["confidence"], "--iou", 1)
    found = json.loads((folder / "detections.json").read_text())
    return {pathlib.Path(picture["picture"]).name: suppress([box["box"] + [box["score"], box["class"]] for box in picture["detections"]], facts["iou"])
            for picture in found}


def compare_boxes(ours, theirs):
    """Number of boxes, smallest overlap of a pair and largest difference of its scores; overlap 0 where one has no partner."""
    if all(value == round(value) for boxes in theirs.values() for box in boxes for value in box[:4]):  # releases of early 2023 round them
        ours = {name: [[round(value) for value in box[:4]] + box[4:] for box in boxes] for name, boxes in ours.items()}
    n, smallest, score = 0, 1.0, 0.0
    for name, boxes in theirs.items():
        left = list(ours.get(name, []))
        for box in boxes:
            n += 1
            partners = [other for other in left if other[5] == box[5]]
            if not partners:
                return n, 0.0, score
            best = max(partners, key=lambda other: overlap(box, other))
            left.remove(best)
            smallest, score = min(smallest, overlap(box, best)), max(score, abs(box[4] - best[4]))
        if left:
            return n, 0.0, score
    return n, smallest, score


def import_file(arguments, folder, name, facts, classes=None):
    out = folder / "ours" / (name + ("_other" if classes else "") + ".safetensors")
    out.parent.mkdir(exist_ok=True)
    words = [arguments.bin / "letterpress-trainer", "import", "--weights", folder / f"{name}.pt", "--model", facts["model"], "--out", out,
             "--size", facts["side"]]
    if classes or name.startswith("state"):
        names = out.with_suffix(".names")
        names.write_text("\n".join(classes or facts["classes"]) + "\n")
        words += ["--classes", names]
    return out, run(*words)


def check_release(arguments, folder):
    """The release and model, and what was found of each of its files: its name, the numbers in words, how many boxes, whether they agree."""
    facts = json.loads((folder / "facts.json").read_text())
    pictures = sorted((folder / "val").glob("*.png"))
    images = numpy.stack([cv2.imread(str(picture))[:, :, ::-1].transpose(2, 0, 1) for picture in pictures[:1]]).astype(numpy.float32) / 255
    theirs = {name: their_raw(folder, name, facts, images) for name in ("raw", "epoch_raw")}
    # Both programs suppress boxes before they cut them at the frame; here both are suppressed as cut, which takes one more here and there.
    detections = {name: suppress(boxes, facts["iou"]) for name, boxes in json.loads((folder / "detections.json").read_text()).items()}
    found = []
    release = f"ultralytics {facts['version']}, {facts['model']}"
    for name in WHOLE:
        if not (folder / f"{name}.pt").exists():
            print(f"{release:32} {name + '.pt':18} this release does not write it")
            continue
        checkpoint, _ = import_file(arguments, folder, name, facts)
        raw = furthest(our_raw(arguments.bin, checkpoint, images), theirs["epoch_raw" if name == "epoch" else "raw"])
        line, n, good = f"raw {raw:.1e}", 0, raw <= RAW
        if name != "epoch":
            n, smallest, score = compare_boxes(our_boxes(arguments.bin, checkpoint, folder / "val", facts, checkpoint.with_suffix("")), detections)
            line += f"  boxes {n}, IoU {smallest:.5f} or more, scores within {score:.1e}"
            good = good and n > 0 and smallest >= OVERLAP and score <= SCORE
        found.append((f"{name}.pt", line, n, good))
        print(f"{release:32} {name + '.pt':18} {line}{'' if good else '  DIFFERS'}", flush=True)
    order = [2, 0, 1]
    checkpoint, text = import_file(arguments, folder, "best", facts, [facts["classes"][i] for i in order])
    raw = furthest(our_raw(arguments.bin, checkpoint, images), theirs["raw"], list(range(64)) + [64 + i for i in order])
    print(f"{release:32} {'best.pt permuted':18} raw {raw:.1e}{'' if raw <= RAW else '  DIFFERS'}")
    print("".join(f"    {line}\n" for line in text.splitlines() if "another order" in line), end="", flush=True)
    return release, [*found, ("best.pt permuted", f"raw {raw:.1e}", 0, raw <= RAW)]


def record(arguments, results):
    """Beside what the file has of other releases. Exit code."""
    works = json.loads(arguments.json.read_text())["works"] if arguments.json and arguments.json.exists() else {}
    for release, found in results:
        wrong = [[name, line] for name, line, _, good in found if not good]
        works[release] = {"cases": len(found), "of": len(found), "boxes": sum(n for _, _, n, _ in found), "outcomes": {}, "wrong": wrong}
    files, boxes = (sum(work[name] for work in works.values()) for name in ("cases", "boxes"))
    summary = f"{'; '.join(sorted(works))}: {files} files, raw outputs within {RAW:.0e}, {boxes} boxes, all found, at IoU {OVERLAP} or more"
    return finish(arguments, PROMISE, works, "files", summary)


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as scratch:
        root = arguments.keep or pathlib.Path(scratch)
        folders = [root / str(i) for i in range(len(arguments.python))] or sorted(file.parent for file in root.glob("*/facts.json"))
        for python, folder in zip(arguments.python, folders):
            if not (folder / "facts.json").exists():
                run(python, HERE / "write_ultralytics.py", folder, "--model", arguments.model, "--epochs", arguments.epochs)
        results = [check_release(arguments, folder) for folder in folders]
    sys.exit(record(arguments, results) if results else 1)


if __name__ == "__main__":
    main()
