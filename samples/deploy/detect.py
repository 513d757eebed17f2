#!/usr/bin/env python3
"""Finds objects with an exported ONNX file by what its metadata say, and nothing else of Letterpress: the reference for programs that deploy one.

usage: samples/deploy/detect.py MODEL PICTURES OUT [--runtime onnxruntime|opencv|openvino] [--depth 8|12|16|minmax]
MODEL: .onnx, or for openvino its .xml. PICTURES lists a picture per line, or is a .npy of frames, uint8 [n, S, S, 3]; --depth is the store's, of pictures with 16 bits per channel. OUT is
written as `letterpress-predict --format json` writes it. Prints the runtime and its version.
needs: pip install numpy pillow, and onnxruntime, openvino, or opencv-python-headless and onnx; exit code 77 where they are not installed
"""
import argparse
import json
import os
import pathlib
import sys

NOT_INSTALLED = 77
try:
    import numpy as np
    import pixels
    import tiles
except ModuleNotFoundError as missing:
    print(f"has no {missing.name}", file=sys.stderr)
    sys.exit(NOT_INSTALLED)

MOST_CANDIDATES = 30000  # of a picture, best first


def open_with_onnxruntime(file):
    """The runtime's version, the metadata, and a function: images float32 [1, 3, S, S] -> outputs by name."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    metadata = session.get_modelmeta().custom_metadata_map
    return onnxruntime.__version__, metadata, lambda images: dict(zip(names, session.run(names, {"images": images})))


def open_with_openvino(file):
    import openvino

    core = openvino.Core()
    network = core.read_model(str(file))
    metadata = {key: value.astype(str) for key, value in network.rt_info["framework"].items()}
    compiled = core.compile_model(network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    names = [output.any_name for output in compiled.outputs]
    return openvino.__version__.split("-")[0], metadata, lambda images: dict(zip(names, compiled({"images": images}).values()))


def open_with_opencv(file):
    """OpenCV's dnn gives no metadata, so onnx reads them."""
    import cv2
    import onnx

    metadata = {entry.key: entry.value for entry in onnx.load(str(file)).metadata_props}
    network = cv2.dnn.readNetFromONNX(str(file))
    names = network.getUnconnectedOutLayersNames()

    def run(images):
        network.setInput(images)
        return dict(zip(names, network.forward(names)))

    return cv2.__version__, metadata, run


RUNTIMES = {"onnxruntime": open_with_onnxruntime, "opencv": open_with_opencv, "openvino": open_with_openvino}


def overlaps(box, boxes):
    """Intersection over union."""
    sides = np.clip(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]), 0, None)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    common = sides[:, 0] * sides[:, 1]
    return common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common)


def suppressed(boxes, scores, rule):
    """boxes [P, 4], scores [P, C] -> rows x1 y1 x2 y2 score class, best first."""
    place, kind = np.nonzero(scores > np.float32(rule.get("before_merging", rule["confidence"])))
    order = np.argsort(-scores[place, kind], kind="stable")[:MOST_CANDIDATES]
    rows = np.column_stack([boxes[place], scores[place, kind], kind]).astype(np.float64)[order]
    kept = []
    while len(rows) and len(kept) < rule["max_detections"]:
        best, rows = rows[0], rows[1:]
        kept.append(best)
        apart = ~(overlaps(best[:4], rows[:, :4]) > rule["iou"])
        rows = rows[apart if rule["classes"] == "together" else apart | (rows[:, 5] != best[5])]
    return np.array(kept).reshape(-1, 6)


def rows_of(outputs, rule):
    """Rows x1 y1 x2 y2 score class of one frame, in its pixels, best first."""
    if "detections" in outputs:
        rows = outputs["detections"][:, 1:].astype(np.float64)
        return rows[np.argsort(-rows[:, 4], kind="stable")]
    if "output0" in outputs:
        centre, half, scores = outputs["output0"][0, :2].T, outputs["output0"][0, 2:4].T / 2, outputs["output0"][0, 4:].T
        return suppressed(np.hstack([centre - half, centre + half]), scores, rule)
    if "boxes" not in outputs:
        sys.exit(f"detect.py: the file's outputs are {', '.join(outputs)}: export with --output detections or decoded")
    return suppressed(outputs["boxes"][0], outputs["scores"][0], rule)


def in_picture(rows, scale, offset, size):
    """The same in pixels of the picture, cut at its edges; what has nothing left goes."""
    rows = np.array(rows)
    for axis in (0, 1):
        rows[:, axis:4:2] = np.clip((rows[:, axis:4:2] - offset[axis]) / scale[axis], 0, size[axis])
    return rows[(rows[:, 2] > rows[:, 0]) & (rows[:, 3] > rows[:, 1])]


def detect(file, run, metadata, make_frame=None, depth=None):
    """make_frame: another than that of the metadata, to see what it costs."""
    if "tiles" in metadata:
        return detect_in_tiles(file, run, metadata, depth)
    side, rule = int(metadata["side"]), json.loads(metadata["letterbox"])
    frame, scale, offset, size = make_frame(file, side, rule) if make_frame else pixels.make_frame(file, side, rule, depth)
    return findings(name_of(file), size, in_picture(rows_in(frame, run, metadata), scale, offset, size), metadata)


def detect_in_tiles(file, run, metadata, depth):
    rule, found = json.loads(metadata["suppression"]), []
    size, cut = tiles.cut(file, int(metadata["side"]), json.loads(metadata["letterbox"]), json.loads(metadata["tiles"]), depth)
    for tile in cut:
        rows = rows_in(tile.frame, run, metadata)
        of_class = rule["max_detections_per"] == "picture and class"
        counting = rows[rows[:, 4] > np.float32(rule["confidence"])]
        lists = np.bincount(counting[:, 5].astype(int)) if of_class else [len(counting)]
        if max(lists, default=0) >= rule["max_detections"]:
            sys.exit(f"detect.py: a tile of {file} has {max(lists)} detections{' of a class' * of_class}, as many as it may have, and which of them "
                     "stay depends on the program: export with a higher --conf or --max-detections")
        found.append((tile.place, in_picture(rows, tile.scale, tile.offset, size)))
    rows = tiles.merged(found, size, rule["iou"], rule["classes"] == "together")
    return findings(name_of(file), size, rows[rows[:, 4] > np.float32(rule["confidence"])], metadata)


def name_of(file):
    return os.fsencode(file).decode(errors="replace")  # file names need not be UTF-8, JSON must be


def rows_in(frame, run, metadata):
    outputs = run(np.ascontiguousarray(frame.transpose(2, 0, 1)[None], np.float32) / np.float32(255))
    return rows_of(outputs, json.loads(metadata["suppression"]))


def findings(name, size, rows, metadata):
    names = json.loads(metadata["classes"])
    found = [{"box": row[:4].tolist(), "score": row[4], "class": int(row[5]), "name": names[int(row[5])]} for row in rows]
    return {"picture": name, "width": int(size[0]), "height": int(size[1]), "detections": found}


def detect_in_frames(file, run, metadata):
    frames, confidence = np.load(file, mmap_mode="r"), np.float32(json.loads(metadata["suppression"])["confidence"])

    def counting(frame):
        rows = rows_in(frame, run, metadata)
        return rows[rows[:, 4] > confidence]

    return [findings(str(i), frame.shape[1::-1], counting(frame), metadata) for i, frame in enumerate(frames)]


def detect_in_pictures(file, run, metadata, depth):
    """What cannot be read is told and left out, as letterpress-predict does."""
    found = []
    for line in file.read_bytes().splitlines():
        try:
            if line:
                found.append(detect(pathlib.Path(os.fsdecode(line)), run, metadata, depth=depth))
        except (OSError, SyntaxError, ValueError) as fault:  # Pillow's, of damaged files, and what a depth is missing for
            print(f"detect.py: {os.fsdecode(line)} is left out: {fault}", file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("pictures", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--runtime", choices=RUNTIMES, default="onnxruntime")
    parser.add_argument("--depth", choices=["8", "12", "16", "minmax"])
    arguments = parser.parse_args()
    version, metadata, run = RUNTIMES[arguments.runtime](arguments.model)
    if arguments.pictures.suffix == ".npy":
        found = detect_in_frames(arguments.pictures, run, metadata)
    else:
        found = detect_in_pictures(arguments.pictures, run, metadata, arguments.depth)
    arguments.out.write_text(json.dumps(found))
    print(arguments.runtime, version)


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as missing:
        print(f"has no {missing.name}", file=sys.stderr)
        sys.exit(NOT_INSTALLED)
