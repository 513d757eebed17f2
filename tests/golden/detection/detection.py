#!/usr/bin/env python3
"""Writes detection.json: YOLOv3 decoding box by box from the formulas (arXiv:1804.02767) and the textbook greedy suppression, class by
class, quadratic, on drawn cases with many equal scores. Needs Python alone.

    python3 tests/golden/detection/detection.py > tests/golden/detection/detection.json
"""
import json
import math

SIDE, CLASSES = 64, 2
ANCHORS = [(6, 7), (12, 10), (20, 28)]
HEADS = [(32, [1, 2]), (16, [0])]


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def decode():
    boxes, scores = [], []
    for stride, mask in HEADS:
        n, values = SIDE // stride, 5 + CLASSES
        for y in range(n):
            for x in range(n):
                for a, k in enumerate(mask):
                    p = [((((a * values + v) * n + y) * n + x) * 7919 % 10007) / 10007 * 8 - 4 for v in range(values)]
                    cx, cy = (x + sigmoid(p[0])) * stride, (y + sigmoid(p[1])) * stride
                    w, h = ANCHORS[k][0] * math.exp(p[2]), ANCHORS[k][1] * math.exp(p[3])
                    boxes.append([round(v, 6) for v in (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2)])
                    scores.append([round(sigmoid(p[4]) * sigmoid(p[5 + c]), 8) for c in range(CLASSES)])
    return boxes, scores


class Draw:
    """x <- (1103515245 x + 12345) mod 2^31; the test draws the same."""

    def __init__(self, seed):
        self.x = seed

    def __call__(self, n):
        self.x = (1103515245 * self.x + 12345) % 2**31
        return (self.x >> 8) % n


def case(seed, n, classes, confidence, iou, most):
    draw = Draw(seed)
    boxes, scores = [], []
    for _ in range(n):
        x, y, w, h = draw(60), draw(60), 1 + draw(40), 1 + draw(40)
        boxes.append((x, y, x + w, y + h))
        scores.append([draw(17) / 16 for _ in range(classes)])
    kept = []
    for c in range(classes):
        left = sorted((-scores[i][c], i) for i in range(n) if scores[i][c] > confidence)
        while left:
            s, best = left.pop(0)
            kept.append((s, best, c))
            left = [(t, i) for t, i in left if overlap(boxes[best], boxes[i]) <= iou]
    return {"seed": seed, "n": n, "classes": classes, "confidence": confidence, "iou": iou, "max_detections": most,
            "kept": [[i, c] for _, i, c in sorted(kept)[:most]]}


def overlap(a, b):
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    area = lambda r: (r[2] - r[0]) * (r[3] - r[1])
    return w * h / (area(a) + area(b) - w * h) if w > 0 and h > 0 else 0


boxes, scores = decode()
cases = [case(seed, n, classes, confidence, iou, most) for seed, (n, classes, confidence, iou, most) in enumerate([
    (1, 1, 0.1, 0.5, 300), (40, 1, 0.0, 0.3, 300), (80, 3, 0.25, 0.5, 300), (120, 2, 0.5, 0.6251, 300), (120, 4, 0.0, 0.1, 300),
    (150, 3, 0.0, 0.45, 20), (150, 1, 0.0, 0.9, 300), (60, 5, 0.75, 0.2, 5), (200, 2, 0.125, 0.75, 300), (30, 1, 0.9999, 0.5, 300)], 1)]
print(json.dumps({"side": SIDE, "classes": CLASSES, "anchors": [v for a in ANCHORS for v in a], "strides": [s for s, _ in HEADS],
                  "masks": [m for _, m in HEADS], "boxes": boxes, "scores": scores, "cases": cases}))
