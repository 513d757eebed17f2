#!/usr/bin/env python3
"""What a deployment loses that decodes and resizes pictures in its own way: COCO's AP of an exported file on a set's pictures, by the way in
which the frames are made. The first is that of the file's metadata.

usage: scripts/proof/decoders.py MODEL TRUTH PICTURES [--of TEXT --json FILE]
       needs: pip install numpy pillow onnxruntime opencv-python-headless pycocotools
MODEL     of `export --to onnx --output detections --conf 0.001`
TRUTH     what `eval --coco-truth-out` wrote; PICTURES: the folder of its pictures
TEXT      what network and pictures these are, for the table that readme.py makes of scripts/proof/results/decoders.json
"""
import argparse
import contextlib
import datetime
import io
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "samples/deploy"), str(ROOT / "scripts/bench")]

import cv2
import detect
import numpy as np
import pixels
from environment import commit_of_sources
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def with_resize(read, resize):
    """A way that places the picture as the letterbox does."""

    def make_frame(file, side, rule):
        picture = read(file)
        size = np.array(picture.shape[1::-1])
        inner = np.clip(np.rint(size * min(side / size)), 1, side).astype(int)
        (x, y), (width, height) = (side - inner) // 2, inner
        frame = np.full((side, side, 3), rule["fill"], np.uint8)
        frame[y:y + height, x:x + width] = resize(picture, (int(width), int(height)))
        return frame, inner / size, np.array([x, y]), size

    return make_frame


def pillow_whole(file):
    return np.asarray(Image.open(file).convert("RGB"))


def opencv_whole(file):
    return cv2.imread(str(file))[..., ::-1]


def opencv_resize(interpolation):
    return lambda picture, size: cv2.resize(picture, size, interpolation=interpolation)


def whole_then_ours(file, side, rule):
    """The metadata's resize of the picture decoded at its whole size."""
    with tempfile.NamedTemporaryFile(suffix=".png") as lossless:
        Image.open(file).convert("RGB").save(lossless, "PNG", compress_level=0)
        lossless.flush()
        return pixels.make_frame(lossless.name, side, rule)


WAYS = {
    "as the metadata say": pixels.make_frame,
    "decoded at whole size, then as the metadata say": whole_then_ours,
    "Pillow: resize(BILINEAR)": with_resize(pillow_whole, lambda picture, size: np.asarray(Image.fromarray(picture).resize(size, Image.BILINEAR))),
    "OpenCV: imread, INTER_AREA": with_resize(opencv_whole, opencv_resize(cv2.INTER_AREA)),
    "OpenCV: imread, INTER_LINEAR": with_resize(opencv_whole, opencv_resize(cv2.INTER_LINEAR)),
    "OpenCV: imread without BGR to RGB, INTER_LINEAR": with_resize(lambda file: cv2.imread(str(file)), opencv_resize(cv2.INTER_LINEAR)),
}


def results(truth, folder, run, metadata, make_frame):
    categories = [category["id"] for category in truth.dataset["categories"]]
    for image in truth.dataset["images"]:
        found = detect.detect(folder / pathlib.Path(image["file_name"]).name, run, metadata, make_frame)
        for one in found["detections"]:
            x1, y1, x2, y2 = one["box"]
            yield {"image_id": image["id"], "category_id": categories[one["class"]], "bbox": [x1, y1, x2 - x1, y2 - y1], "score": one["score"]}


def measured(truth, found):
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("model", "truth", "pictures"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--of", default="", help="what is measured")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the table")
    arguments = parser.parse_args()
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(arguments.truth))
    runtime, metadata, run = detect.open_with_onnxruntime(arguments.model)
    if "tiles" in metadata:
        sys.exit(f"{arguments.model}: is of tiles, and the other ways are of whole pictures")
    letterbox = json.loads(metadata["letterbox"])
    if (letterbox["scale"], letterbox["rounding"], letterbox["place"]) != ("fit", "nearest", "centre"):
        sys.exit(f"{arguments.model}: the other ways are written for the default letterbox")
    ways = []
    print("| frames | AP | AP50 |\n|---|---|---|")
    for name, make_frame in WAYS.items():
        stats = measured(truth, list(results(truth, arguments.pictures, run, metadata, make_frame)))
        print(f"| {name} | {stats[0]:.4f} | {stats[1]:.4f} |", flush=True)
        ways.append({"frames": name, "ap": round(float(stats[0]), 5), "ap50": round(float(stats[1]), 5)})
    if arguments.json:
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        about = {"of": arguments.of, "runtime": f"onnxruntime {runtime}", "date": date, "commit": commit_of_sources()}
        arguments.json.write_text(json.dumps(about | {"ways": ways}, indent=1) + "\n")


if __name__ == "__main__":
    main()
