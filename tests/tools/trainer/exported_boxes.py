"""Boxes that other programs find with an exported model, beside those that `eval` wrote. Exit 77: a package is not there.

    exported_boxes.py STORE FOUND TRUTH CONFIDENCE IOU OTHER...

FOUND and TRUTH are what `eval --store STORE --conf CONFIDENCE --iou IOU --coco-out FOUND --coco-truth-out TRUTH` wrote. Each OTHER is
compared with it box by box:
    .onnx  exported with --output detections: run by onnxruntime on the clean val pictures of STORE's newest snapshot, which h5py reads
           or --output ultralytics, whose boxes of a class are suppressed here, by the textbook's loop
    .cfg   with its .weights: run on them by OpenCV's dnn; boxes of a class are suppressed here, by the textbook's loop;
           CONFIDENCE 0.2 or more, as that program drops what is below
    .json  what letterpress-predict, or eval with another --batch, found in the same pictures
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
try:
    import cv2
    import h5py
    import numpy as np
    import onnxruntime
except ImportError as missing:
    print(missing)
    sys.exit(77)
import agreement

SCORES, BOXES = 1e-4, 1e-4  # the latter as shares of the picture's longer side


def val_rows(store):
    """(name, frame uint8 [S, S, 3], letterbox [6], (width, height)) of each clean row of the split val."""
    snapshot = json.loads(sorted((store / "snapshots").glob("*.json"))[-1].read_text())["snapshot"]
    for place in snapshot["shards"]:
        if place["split"] != "val" or place["augmented"]:
            continue
        with h5py.File(store / "shards" / (place["digest"] + ".h5")) as shard:
            offsets, names = shard["name_offset"][:], shard["name_bytes"][:].tobytes()
            for row in np.flatnonzero(shard["view"][:] == 0):
                name = names[offsets[row]:offsets[row + 1]].decode()
                yield name, shard["images"][row], shard["letterbox"][row], tuple(int(side) for side in shard["source_size"][row])


def images_of(frame):
    return np.ascontiguousarray(frame.transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def in_source(rows, letterbox, size):
    """Boxes of the frame as boxes of the picture, clipped to it; those with nothing left inside go."""
    a, _, dx, _, d, dy = (float(value) for value in letterbox)
    rows = np.array(rows, np.float64)
    for first, scale, shift, limit in ((0, a, dx, size[0]), (1, d, dy, size[1])):
        rows[:, [first, first + 2]] = np.clip((rows[:, [first, first + 2]] - shift) / scale, 0, limit)
    return rows[(rows[:, 2] > rows[:, 0]) & (rows[:, 3] > rows[:, 1])]


def onnx_boxes(file, rows, confidence, iou):
    """By file name: rows x1 y1 x2 y2 score class, pixels of the picture."""
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])

    def run(frame):
        (output,) = session.run(None, {"images": images_of(frame)})
        if session.get_outputs()[0].name == "detections":
            return output[:, 1:]
        places, scores = output[0, :4].T.astype(np.float64), output[0, 4:].T
        half = places[:, 2:] / 2
        return suppressed(np.hstack([places[:, :2] - half, places[:, :2] + half]), scores, confidence, iou)

    return {name: in_source(run(frame), letterbox, size) for name, frame, letterbox, size in rows}


def overlaps(box, boxes):
    sides = np.clip(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]), 0, None)
    area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    common = sides[:, 0] * sides[:, 1]
    return common / (area(box) + area(boxes) - common)


def suppressed(boxes, scores, confidence, iou):
    """Rows x1 y1 x2 y2 score class."""
    kept = []
    for class_id in range(scores.shape[1]):
        left = np.flatnonzero(scores[:, class_id] > confidence)
        left = left[np.argsort(-scores[left, class_id], kind="stable")]
        while len(left):
            best, left = left[0], left[1:]
            kept.append([*boxes[best], scores[best, class_id], class_id])
            left = left[overlaps(boxes[best], boxes[left]) <= iou]
    return np.array(kept, np.float64).reshape(-1, 6)


def darknet_boxes(file, rows, confidence, iou):
    net = cv2.dnn.readNetFromDarknet(str(file), str(file.with_suffix(".weights")))
    net.enableWinograd(False)
    heads = [name for name in net.getLayerNames() if name.startswith("yolo_")]

    def run(frame):
        net.setInput(images_of(frame))
        decoded = np.concatenate([out.reshape(-1, out.shape[-1]) for out in net.forward(heads)]).astype(np.float64)
        centre, half = decoded[:, :2] * frame.shape[0], decoded[:, 2:4] * frame.shape[0] / 2
        return suppressed(np.hstack([centre - half, centre + half]), decoded[:, 5:], confidence, iou)

    return {name: in_source(run(frame), letterbox, size) for name, frame, letterbox, size in rows}


def json_boxes(file, truth):
    """Of predict, or of eval with the ids of its ground truth."""
    found = json.loads(pathlib.Path(file).read_text())
    if found and "picture" in found[0]:
        return {pathlib.Path(one["picture"]).name: np.array([[*box["box"], box["score"], box["class"]] for box in one["detections"]],
                                                            np.float64).reshape(-1, 6) for one in found}
    classes = {category["id"]: i for i, category in enumerate(truth["categories"])}
    names = {image["id"]: image["file_name"] for image in truth["images"]}
    boxes = {name: [] for name in names.values()}
    for one in found:
        x, y, width, height = one["bbox"]
        boxes[names[one["image_id"]]].append([x, y, x + width, y + height, one["score"], classes[one["category_id"]]])
    return {name: np.array(rows, np.float64).reshape(-1, 6) for name, rows in boxes.items()}


def furthest(theirs, ours, size, name):
    """Largest differences of scores and boxes; each row of theirs has its own of ours."""
    assert len(theirs) == len(ours), f"{name}: {len(theirs)} boxes, eval has {len(ours)}"
    left, score, box = list(range(len(ours))), 0.0, 0.0
    for row in theirs:
        same = [i for i in left if ours[i, 5] == row[5]]
        assert same, f"{name}: a box of class {row[5]} too many"
        apart = [max(abs(ours[i, 4] - row[4]), np.abs(ours[i, :4] - row[:4]).max() / max(size)) for i in same]
        nearest = same[int(np.argmin(apart))]
        left.remove(nearest)
        score = np.maximum(score, abs(ours[nearest, 4] - row[4]))  # which keeps what is not a number
        box = np.maximum(box, np.abs(ours[nearest, :4] - row[:4]).max() / max(size))
    return score, box


def main():
    store, found, truth, confidence, iou, *others = sys.argv[1:]
    truth = json.loads(pathlib.Path(truth).read_text())
    rows, ours = list(val_rows(pathlib.Path(store))), json_boxes(found, truth)
    sizes = {name: size for name, _, _, size in rows}
    boxes = sum(map(len, ours.values()))
    assert boxes > 10 and sorted(sizes) == sorted(ours), (boxes, sorted(sizes), sorted(ours))
    for other in map(pathlib.Path, others):
        if other.suffix == ".onnx":
            program, theirs = "onnxruntime", onnx_boxes(other, rows, float(confidence), float(iou))
        elif other.suffix == ".cfg":
            program, theirs = "OpenCV dnn", darknet_boxes(other, rows, float(confidence), float(iou))
        else:
            program, theirs = "ours, " + other.stem, json_boxes(other, truth)
        differences = [furthest(theirs[name], ours[name], size, f"{other.name}: {name}") for name, size in sizes.items()]
        what = f"the {boxes} boxes of eval in {len(sizes)} pictures"
        agreement.check(program, what + ": scores", np.max([score for score, _ in differences]), SCORES)
        agreement.check(program, what + ": places, of the longer side", np.max([box for _, box in differences]), BOXES)


main()
