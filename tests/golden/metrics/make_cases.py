"""Draws cases of truth and detections, and writes what other programs make of them.

    make_cases.py FOLDER [NUMBER [FIRST]]         the golden: make_cases.py tests/golden/metrics/cases 12

NNN.truth.json and NNN.found.json are COCO files. figures.csv has a line per case: the 12 figures of pycocotools' COCOeval; mean precision,
recall and F1 at the confidence with the best mean F1, and that confidence, counted here from COCOeval's own matches; VOC's mean AP at 11
points and at all; then per category, in the truth file's order: truths, AP, AP50, precision, recall, VOC truths, 11-point AP, all-point AP.
"""
import contextlib
import io
import json
import pathlib
import random
import sys

import voc_reference

try:
    import numpy as np
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval
except ImportError:
    sys.exit(77)


def draw_box(draw):
    side = 4 * 1.05 ** draw.randrange(90)  # 4 to 300 pixels
    sides = [round(4 * side * draw.uniform(0.6, 1.6)) / 4 for _ in range(2)]
    return [draw.randrange(1600) / 4, draw.randrange(1600) / 4, max(sides[0], 1), max(sides[1], 1)]


def draw_truths(draw, image, categories):
    truths = []
    for _ in range(draw.randrange(12)):
        if truths and draw.random() < 0.1:
            box = list(truths[-1]["bbox"])  # the same place twice
        else:
            box = draw_box(draw)
        whole = box[2] * box[3]
        area = draw.choice([whole, whole, round(whole * 0.6, 3), 32 * 32, 96 * 96])
        truths.append({"image_id": image, "category_id": draw.choice(categories), "bbox": box, "area": area,
                       "iscrowd": int(draw.random() < 0.15), "difficult": int(draw.random() < 0.15)})
    return truths


def draw_detections(draw, image, categories, truths, case):
    levels = 8 if case % 3 == 0 else 2**24  # every third case has many equal scores
    detections = []
    for _ in range(draw.randrange(900 if case % 16 == 8 else 25)):  # every sixteenth more than 100 of a picture and class
        box, category = draw_box(draw), draw.choice(categories)
        if truths and draw.random() < 0.7:
            near = draw.choice(truths)
            if draw.random() < 0.8:
                category = near["category_id"]
            box = list(near["bbox"])
            for i in draw.sample(range(4), draw.randrange(4)):  # with 0 it lies exactly on the truth
                box[i] = max(1, box[i] + draw.randrange(-12, 13) * max(near["bbox"][2:]) / 64)
        detections.append({"image_id": image, "category_id": category, "bbox": box, "score": draw.randrange(levels) / levels})
    return detections


def draw_case(case):
    draw = random.Random(case)
    images, categories = draw.sample(range(1, 10**6), draw.randrange(1, 7)), draw.sample(range(1, 91), draw.randrange(1, 5))
    with_truth = categories[:max(1, len(categories) - draw.randrange(3))]
    truth = {"info": {}, "licenses": [], "images": [{"id": i, "file_name": f"{i}.jpg", "width": 800, "height": 800} for i in images],
             "categories": [{"id": c, "name": f"class {c}"} for c in categories], "annotations": []}
    found = []
    for image in images:
        truths = draw_truths(draw, image, with_truth)
        truth["annotations"] += truths
        found += draw_detections(draw, image, categories, truths, case)
    for i, annotation in enumerate(truth["annotations"], 1):
        annotation["id"] = i
    return truth, found


def coco(truth, annotations):
    side = COCO()
    side.dataset = {**truth, "annotations": annotations}
    side.createIndex()
    return side


def evaluate(truth, found):
    # As loadRes does; it refuses an empty list.
    with_ids = [{**d, "id": i, "area": d["bbox"][2] * d["bbox"][3], "iscrowd": 0} for i, d in enumerate(found, 1)]
    evaluation = COCOeval(coco(truth, truth["annotations"]), coco(truth, with_ids), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    return evaluation


def mean(values):
    values = values[values > -1]
    return values.mean() if values.size else -1


def counts(evaluation, k):
    """(truths, scores, right, wrong) of the k-th category at IoU .5, area range "all"."""
    images, areas = len(evaluation.params.imgIds), len(evaluation.params.areaRng)
    found = [e for e in evaluation.evalImgs[k * areas * images:k * areas * images + images] if e is not None]
    scores = np.concatenate([e["dtScores"] for e in found] + [[]])
    matched = np.concatenate([e["dtMatches"][0] for e in found] + [[]]) > 0
    ignored = np.concatenate([e["dtIgnore"][0] for e in found] + [[]]) > 0
    truths = int(sum((e["gtIgnore"] == 0).sum() for e in found))
    return truths, scores, matched & ~ignored, ~matched & ~ignored


def best_point(per_class):
    """(mean precision, recall, F1, confidence, [(precision, recall)])"""
    best = (0, 0, 0, 0, [(0, 0)] * len(per_class))
    counted = [i for i, c in enumerate(per_class) if c[0] > 0]
    for confidence in sorted({s for i in counted for s in per_class[i][1]}, reverse=True):
        points, f1 = [], []
        for truths, scores, right, wrong in per_class:
            tp, fp = (right & (scores >= confidence)).sum(), (wrong & (scores >= confidence)).sum()
            points.append((tp / (tp + fp) if tp else 0, tp / truths if truths else 0))
            f1.append(2 * tp / (tp + fp + truths) if tp else 0)
        if np.mean([f1[i] for i in counted]) > best[2] + 1e-9:
            means = np.mean([points[i] for i in counted], axis=0)
            best = (means[0], means[1], np.mean([f1[i] for i in counted]), confidence, points)
    return best


def voc(truth, found, category):
    truths = {}
    for a in truth["annotations"]:
        if a["category_id"] == category:
            truths.setdefault(a["image_id"], []).append((a["bbox"], not a["difficult"] and not a["iscrowd"]))
    # Equal scores: in the order of the file, as VOCevaldet sorts its lines.
    detections = [(d["image_id"], d["bbox"], d["score"]) for d in found if d["category_id"] == category]
    return voc_reference.figures(truths, detections)


def figures(truth, found):
    evaluation = evaluate(truth, found)
    order = [evaluation.params.catIds.index(c["id"]) for c in truth["categories"]]
    precision = evaluation.eval["precision"][:, :, :, 0, -1]  # thresholds, recall points, categories
    per_class = [counts(evaluation, k) for k in order]
    *means, points = best_point(per_class)
    of_voc = [voc(truth, found, c["id"]) for c in truth["categories"]]
    values = [*evaluation.stats, *means, *(mean(np.array([v[i] for v in of_voc])) for i in (1, 2))]
    for k, one, point, one_voc in zip(order, per_class, points, of_voc):
        values += [one[0], mean(precision[:, :, k]), mean(precision[0, :, k]), *point, *one_voc]
    return values


def main(folder, number=208, first=0):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    lines = []
    for case in range(int(first), int(first) + int(number)):
        truth, found = draw_case(case)
        (folder / f"{case:03}.truth.json").write_text(json.dumps(truth) + "\n")
        (folder / f"{case:03}.found.json").write_text(json.dumps(found) + "\n")
        with contextlib.redirect_stdout(io.StringIO()):
            lines.append(",".join(f"{v:.12g}" for v in figures(truth, found)))
    (folder / "figures.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
