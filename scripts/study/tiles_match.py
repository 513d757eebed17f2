"""Metrics of detections in big pictures, in their own pixels, by numpy and pycocotools alone.

usage: tiles_match.py pictures LIST DETECTIONS OVERLAP [LOW]    # of pictures as a whole; LOW: with low scores too, for AP50
       tiles_match.py crops LIST DETECTIONS OVERLAP             # of the crops in crops.json beside it: is the object found that each was made for?
LIST is keras-yolo3's, DETECTIONS as `letterpress-predict --format json` writes it. OVERLAP: pixels; objects with a longer side are counted apart.
Prints a line of JSON.
"""
import contextlib
import io
import json
import pathlib
import sys

import numpy as np

from tiles_sets import pictures_of

IOU = 0.5
PRECISIONS = (1, 0.95, 0.9, 0.8)
MOST = 10000  # detections of a picture that count for AP


def ious(box, boxes):
    """box [4], boxes [N, 4] -> [N]"""
    sides = np.clip(np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2]), 0, None)
    common = sides[:, 0] * sides[:, 1]
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common)


def match(detections, labels):
    """Which label each detection is, -1: none. Greedy, best score first: of those of its class that no better detection took the label that
    it overlaps most, by IOU or more.
      detections  [D, 6]  x1 y1 x2 y2 score class
      labels      [L, 5]  x1 y1 x2 y2 class"""
    taken, matched = np.zeros(len(labels), bool), np.full(len(detections), -1)
    for i in np.argsort(-detections[:, 4], kind="stable"):
        overlaps = ious(detections[i, :4], labels[:, :4])
        overlaps[taken | (labels[:, 4] != detections[i, 5])] = -1
        if len(labels) and overlaps.max() >= IOU:
            matched[i] = overlaps.argmax()
            taken[matched[i]] = True
    return matched


def rows_of(found):
    rows = [[*one["box"], one["score"], one["class"]] for one in found]
    return np.array(rows, float).reshape(-1, 6)


def labels_of(boxes):
    return np.array(boxes, float).reshape(-1, 5)


def is_long(labels, overlap):
    return np.max(labels[:, 2:4] - labels[:, :2], axis=1, initial=0) > overlap


def on_long(detections, labels):
    """Whether half of a detection or more lies on a label of `labels`."""
    areas = (detections[:, 2] - detections[:, 0]) * (detections[:, 3] - detections[:, 1])
    on = np.zeros(len(detections), bool)
    for label in labels:
        sides = np.clip(np.minimum(label[2:4], detections[:, 2:4]) - np.maximum(label[:2], detections[:, :2]), 0, None)
        on |= sides[:, 0] * sides[:, 1] >= 0.5 * areas
    return on


def ap50(pictures, detections):
    """Mean over the classes, by pycocotools."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    kinds = sorted({box[4] for _, boxes in pictures for box in boxes})
    truth = {"images": [{"id": i} for i in range(len(pictures))], "categories": [{"id": kind} for kind in kinds], "annotations": []}
    results = []
    for i, (picture, boxes) in enumerate(pictures):
        for x1, y1, x2, y2, kind in boxes:
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": i, "category_id": kind, "iscrowd": 0,
                                         "bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1)})
        for x1, y1, x2, y2, score, kind in rows_of(detections.get(picture.name, [])):
            results.append({"image_id": i, "category_id": int(kind), "bbox": [x1, y1, x2 - x1, y2 - y1], "score": score})
    if not results:
        return 0.0
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
        evaluation.params.iouThrs, evaluation.params.maxDets = np.array([IOU]), [MOST]
        evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
        evaluation.evaluate()
        evaluation.accumulate()
    return float(evaluation.eval["precision"][0, :, :, 0, 0].mean())


def of_pictures(pictures, detections, overlap):
    counts = {"objects": 0, "found": 0, "long": 0, "long_found": 0, "detections": 0, "false": 0, "false_on_long": 0}
    for picture, boxes in pictures:
        found, labels = rows_of(detections.get(picture.name, [])), labels_of(boxes)
        matched, long = match(found, labels), is_long(labels, overlap)
        hit = np.isin(np.arange(len(labels)), matched)
        wrong = found[matched < 0]
        counted = [(~long).sum(), (hit & ~long).sum(), long.sum(), (hit & long).sum(), len(found), len(wrong), on_long(wrong, labels[long]).sum()]
        counts = {name: total + int(one) for (name, total), one in zip(counts.items(), counted)}
    return counts


def found_at_precision(pictures, detections):
    """How many objects are found at the lowest confidence from which on so many of the detections are right."""
    scores, right = [], []
    for picture, boxes in pictures:
        found = rows_of(detections.get(picture.name, []))
        scores += found[:, 4].tolist()
        right += (match(found, labels_of(boxes)) >= 0).tolist()
    found = np.cumsum(np.array(right, int)[np.argsort(-np.array(scores), kind="stable")])
    precision = found / np.arange(1, len(found) + 1)
    return {f"{least:g}": int(found[precision >= least].max(initial=0)) for least in PRECISIONS}


def of_crops(pictures, crops, detections, overlap):
    """As of_pictures(), without what is not of the objects in the middle."""
    by_name = {picture.name: labels_of(boxes) for picture, boxes in pictures}
    counts = {"objects": 0, "found": 0, "long": 0, "long_found": 0}
    for crop in crops:
        labels = by_name[crop["picture"]]
        found = rows_of(detections.get(crop["crop"], [])) + np.array([crop["x"], crop["y"], crop["x"], crop["y"], 0, 0])
        kind = "long" if is_long(labels, overlap)[crop["label"]] else "objects"
        counts[kind] += 1
        counts["long_found" if kind == "long" else "found"] += int(crop["label"] in match(found, labels))
    return counts


def read_detections(file):
    return {pathlib.Path(one["picture"]).name: one["detections"] for one in json.loads(file.read_text())}


def main():
    kind, lists, file, overlap, *low = sys.argv[1:]
    pictures, detections = pictures_of(pathlib.Path(lists)), read_detections(pathlib.Path(file))
    if kind == "crops":
        crops = json.loads((pathlib.Path(file).parent / "crops.json").read_text())
        print(json.dumps(of_crops(pictures, crops, detections, float(overlap))))
    else:
        counted = of_pictures(pictures, detections, float(overlap)) | {"found_at_precision": found_at_precision(pictures, detections)}
        print(json.dumps(counted | {"ap50": ap50(pictures, read_detections(pathlib.Path(low[0])))} if low else counted))


if __name__ == "__main__":
    main()
