#!/usr/bin/env python3
"""Lets Ultralytics' own YOLO load a file of `export --output ultralytics`, and compares names and boxes with what letterpress-predict finds.

usage: PYTHON scripts/proof/export_agreement.py CHECKPOINT PICTURES [--pictures 240] [--conf 0.25] [--iou 0.6] [--bin build/release/bin] [--json FILE]

PYTHON: one that has ultralytics, onnxruntime and opencv-python-headless. Both programs get the same pixels: the frames that predict made of the pictures
(--frames-out), as PNG files, which no letterbox changes. Ultralytics
suppresses before it cuts boxes at the frame's edge, and what is compared here was cut first: below a --conf of 0.25 boxes at the edge may differ. Exit 1: other names, another number of boxes, a pair of less than IoU 0.99, or scores over 0.001
apart.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

os.environ.update(YOLO_OFFLINE="True", YOLO_AUTOINSTALL="false", YOLO_VERBOSE="False")
import cv2  # noqa: E402
import numpy  # noqa: E402
import onnxruntime  # noqa: E402
import ultralytics  # noqa: E402
from disturb import finish  # noqa: E402
from import_agreement import OVERLAP, SCORE, compare_boxes, our_boxes, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 300  # boxes of a picture, before suppression in predict's case
PROMISE = "Ultralytics' `YOLO(\"model.onnx\")` loads what `export --output ultralytics` writes, with the class names, and finds the boxes of predict"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, metavar="PICTURES", help="folder of pictures")
    parser.add_argument("--pictures", type=int, default=240, help="so many of the folder's, the first ones by name")
    parser.add_argument("--conf", type=float, default=0.25)
    parser.add_argument("--iou", type=float, default=0.6)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the counts")
    return parser.parse_args()


def write_frames(arguments, scratch):
    """Frames as predict makes them, as PNG files, and classes.txt; the frames' folder."""
    chosen, arrays, frames = scratch / "chosen.txt", scratch / "frames.npy", scratch / "frames"
    paths = sorted(path.resolve() for path in arguments.folder.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png"))[:arguments.pictures]
    chosen.write_text("".join(f"{path}\n" for path in paths))
    run(arguments.bin / "letterpress-predict", "--checkpoint", arguments.checkpoint, "--input", chosen, "--out", scratch / "first", "--format", "yolo",
        "--device", "cpu", "--frames-out", arrays)
    frames.mkdir()
    for path, frame in zip(paths, numpy.load(arrays), strict=True):
        cv2.imwrite(str(frames / f"{path.name}.png"), numpy.ascontiguousarray(frame[:, :, ::-1]))
    return frames


def their_boxes(model, frames, side, arguments):
    found = {}
    for frame in sorted(frames.iterdir()):
        boxes = model.predict(str(frame), imgsz=side, conf=arguments.conf, iou=arguments.iou, max_det=MOST, device="cpu", verbose=False)[0].boxes
        found[frame.name] = [[*box[:4], float(score), int(which)] for box, score, which in zip(boxes.xyxy.tolist(), boxes.conf, boxes.cls)]
    return found


def compare(arguments, scratch):
    """(what was found in words, what is wrong)"""
    file = scratch / "model.onnx"
    run(arguments.bin / "letterpress-trainer", "export", "--checkpoint", arguments.checkpoint, "--to", "onnx", "--output", "ultralytics", "--out", file)
    metadata = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"]).get_modelmeta().custom_metadata_map
    model = ultralytics.YOLO(str(file), task="detect")
    frames = write_frames(arguments, scratch)
    ours = our_boxes(arguments.bin, arguments.checkpoint, frames, {"confidence": arguments.conf, "iou": arguments.iou}, scratch / "second")
    if any(len(picture["detections"]) >= MOST for picture in json.loads((scratch / "second" / "detections.json").read_text())):
        sys.exit(f"export_agreement.py: predict gave its {MOST} best boxes of a picture, so some are missing; raise --conf")
    n, smallest, score = compare_boxes(ours, their_boxes(model, frames, int(metadata["side"]), arguments))
    wrong = []
    theirs, wanted = list(model.names.values()), (scratch / "first" / "classes.txt").read_text().splitlines()
    if theirs != wanted:
        wrong.append([file.name, f"names {theirs}, of the checkpoint {wanted}"])
    if n == 0 or smallest < OVERLAP or score > SCORE:
        wrong.append([file.name, f"{n} boxes, IoU {smallest:.5f} or more, scores within {score:.1e}"])
    return n, f"{n} boxes in {len(ours)} pictures: IoU {smallest:.5f} or more, scores within {score:.0e}; ultralytics {ultralytics.__version__}", wrong


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        n, summary, wrong = compare(arguments, pathlib.Path(folder))
    print(summary)
    for one in wrong:
        print(*one, sep=": ")
    sys.exit(finish(arguments, PROMISE, {"boxes": {"cases": n, "of": n, "outcomes": {}, "wrong": wrong}}, "boxes", summary))


if __name__ == "__main__":
    main()
