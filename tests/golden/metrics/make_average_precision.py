"""Writes average_precision.csv: figures of pycocotools' COCOeval over cases that average_precision_test.cpp draws in the same way.

    python3 -m venv v && v/bin/pip install numpy pycocotools && v/bin/python make_average_precision.py

One line per case: map, map50, map75, precision, recall, best_confidence, then truths, ap, ap50, precision, recall per class.
Precision and recall are counted here from COCOeval's own matches, at every score there is.
"""
import contextlib
import io
import pathlib

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

CASES = 72


class Draw:
    """Knuth's MMIX linear congruential generator, upper 31 bits."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def draw_box(draw):
    return [draw(400) / 2, draw(400) / 2, (2 + draw(160)) / 2, (2 + draw(160)) / 2]


def draw_case(number):
    """(classes, [(truths, detections)]): truths (box xywh, class, crowd), detections (box, class, score)."""
    draw = Draw(number)
    classes, pictures = 1 + draw(4), 1 + draw(8)
    levels = 8 if number % 3 == 0 else 4096  # every third case has many equal scores
    most = 700 if number % 8 == 0 else 25  # every eighth more than 100 per picture and class
    case = []
    for _ in range(pictures):
        truths = []
        for _ in range(draw(12)):
            box = draw_box(draw)
            truths.append((box, draw(classes), draw(6) == 0))
        detections = []
        for _ in range(draw(most)):
            box, category = draw_box(draw), draw(classes)
            if truths and draw(3) > 0:  # near a truth, half of the time exactly on it in x
                near, category, _ = truths[draw(len(truths))]
                box = [near[0] + draw(2) * draw(8), near[1] + draw(8), near[2] + draw(6), near[3] + draw(6)]
            detections.append((box, category, draw(levels) / levels))
        case.append((truths, detections))
    return classes, case


def evaluate(classes, case):
    images = [{"id": i + 1} for i in range(len(case))]
    categories = [{"id": c} for c in range(classes)]
    truths, detections = [], []
    for i, (picture_truths, picture_detections) in enumerate(case):
        for box, category, crowd in picture_truths:
            truths.append({"id": len(truths) + 1, "image_id": i + 1, "category_id": category, "bbox": box,
                           "area": box[2] * box[3], "iscrowd": int(crowd)})
        for box, category, score in picture_detections:
            detections.append({"id": len(detections) + 1, "image_id": i + 1, "category_id": category, "bbox": box,
                               "area": box[2] * box[3], "iscrowd": 0, "score": score})
    sides = []
    for annotations in truths, detections:
        side = COCO()
        side.dataset = {"images": images, "categories": categories, "annotations": annotations}
        side.createIndex()
        sides.append(side)
    evaluation = COCOeval(*sides, iouType="bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    return evaluation


def mean(values):
    values = values[values > -1]
    return values.mean() if values.size else -1


def counts(evaluation, classes):
    """Per class (truths, scores, right, wrong) at IoU .5, area range "all"."""
    images, areas = len(evaluation.params.imgIds), len(evaluation.params.areaRng)
    answer = []
    for c in range(classes):
        found = [e for e in evaluation.evalImgs[c * areas * images:c * areas * images + images] if e is not None]
        scores = np.concatenate([e["dtScores"] for e in found] + [[]])
        matched = np.concatenate([e["dtMatches"][0] for e in found] + [[]]) > 0
        ignored = np.concatenate([e["dtIgnore"][0] for e in found] + [[]]) > 0
        truths = int(sum((e["gtIgnore"] == 0).sum() for e in found))
        answer.append((truths, scores, matched & ~ignored, ~matched & ~ignored))
    return answer


def best_point(per_class):
    counted = [c for c in per_class if c[0] > 0]
    best = (0, 0.0, [(0.0, 0.0)] * len(per_class))
    for confidence in sorted({s for c in counted for s in c[1]}, reverse=True):
        points, f1 = [], []
        for truths, scores, right, wrong in per_class:
            tp, fp = (right & (scores >= confidence)).sum(), (wrong & (scores >= confidence)).sum()
            points.append((tp / (tp + fp) if tp else 0.0, tp / truths if truths else 0.0))
            if truths:
                f1.append(2 * tp / (tp + fp + truths))
            else:
                points[-1] = (0.0, 0.0)
        if np.mean(f1) > best[0] + 1e-9:
            best = (np.mean(f1), confidence, points)
    return best[1], best[2]


def line(number):
    classes, case = draw_case(number)
    evaluation = evaluate(classes, case)
    precision = evaluation.eval["precision"][:, :, :, 0, -1]  # thresholds, recall points, classes
    per_class = counts(evaluation, classes)
    confidence, points = best_point(per_class)
    counted = [p for p, c in zip(points, per_class) if c[0] > 0]
    means = np.mean(counted, axis=0) if counted else (0.0, 0.0)
    values = [mean(precision), mean(precision[0]), mean(precision[5]), means[0], means[1], confidence]
    for c in range(classes):
        values += [per_class[c][0], mean(precision[:, :, c]), mean(precision[0, :, c]), *points[c]]
    return ",".join(f"{v:.9g}" for v in values)


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        lines = [line(number) for number in range(CASES)]
    pathlib.Path(__file__).with_name("average_precision.csv").write_text("\n".join(lines) + "\n")
