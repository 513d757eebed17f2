#!/usr/bin/env python3
"""Writes yolov3.json: values and gradients of the YOLOv3 loss for a batch of odd pictures, computed box by box and cell by cell from the
formulas (arXiv:1804.02767) in double precision, gradients by hand (d BCE / d logit = sigmoid - target). Needs Python alone.

    python3 tests/golden/losses/yolov3.py > tests/golden/losses/yolov3.json
"""
import json
import math

SIDE, CLASSES, IGNORE = 64, 3, 0.4
ANCHORS = [(6, 7), (12, 10), (20, 28), (44, 40)]
HEADS = [(32, [2, 3]), (16, [1, 2])]  # anchor 0 is of no head, anchor 2 of both
CROWD, DIFFICULT = 1, 2
PICTURES = [  # (weight, [(x1, y1, x2, y2, class, flags)])
    (1, [(3, 4, 15, 15, 0, 0), (10, 20, 54, 58, 2, 0), (30, 2, 50, 31, 1, 0)]),
    (1, []),
    (1, [(2, 2, 30, 40, 1, CROWD), (34, 36, 46, 45, 2, DIFFICULT), (40, 5, 62, 33, 0, 0)]),
    (1, [(17, 18, 29, 28, 0, 0), (18, 19, 29, 29, 2, 0), (33, 33, 45, 44, 1, 0)]),  # the first two: one cell, one anchor
    (1, [(50, 51, 64, 64, 1, 0), (58, 20, 70, 30, 2, 0), (0, 0, 64, 64, 0, 0)]),  # at the edge; centre on the edge; the whole frame
    (0, [(5, 6, 25, 30, 1, 0)]),
    (1, [(20, 20, 20, 30, 1, 0), (12, 40, 18, 46, 1, 0)]),  # without width; nearest to the anchor of no head
    (1, [(8, 8, 20, 20, 0, 0), (0, 0, 40, 40, 2, CROWD), (9, 40, 22, 50, 1, 0)]),  # an object inside a crowd region
]


def logit(i):
    return (i * 7919 % 10007) / 10007 * 2 - 1


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


def bce(v, target):
    return -target * math.log(sigmoid(v)) - (1 - target) * math.log(1 - sigmoid(v))


def iou(a, b):
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def best_anchor(w, h):
    used = sorted({k for _, mask in HEADS for k in mask})
    return max(used, key=lambda k: (iou((0, 0, w, h), (0, 0, *ANCHORS[k])), -k))


terms = dict.fromkeys(["box_xy", "box_wh", "objectness", "classes"], 0.0)
seen = dict.fromkeys(["positive", "negative", "ignored", "in crowd", "overwritten", "in two heads", "centre on edge"], 0)
gradients, nearest = [], 1.0
for stride, mask in HEADS:
    n, values = SIDE // stride, 5 + CLASSES
    grid = [[[[0.0] * n for _ in range(n)] for _ in range(len(mask) * values)] for _ in PICTURES]
    for b, (weight, rows) in enumerate(PICTURES):
        at = lambda a, v, y, x: logit(((b * len(mask) * values + a * values + v) * n + y) * n + x)
        objects = [r for r in rows if not r[5] & CROWD and r[2] > r[0] and r[3] > r[1]]
        crowds = [r for r in rows if r[5] & CROWD]
        owner = {}
        for r in objects:
            k = best_anchor(r[2] - r[0], r[3] - r[1])
            if k not in mask:
                continue
            cx, cy = (r[0] + r[2]) / 2 / stride, (r[1] + r[3]) / 2 / stride
            x, y = min(int(cx), n - 1), min(int(cy), n - 1)
            seen["overwritten"] += (mask.index(k), y, x) in owner
            seen["in two heads"] += k == 2
            seen["centre on edge"] += cx == n
            owner[mask.index(k), y, x] = (r, cx - x, cy - y)
        for a in range(len(mask)):
            aw, ah = ANCHORS[mask[a]]
            for y in range(n):
                for x in range(n):
                    p = [at(a, v, y, x) for v in range(values)]
                    put = lambda v, g: grid[b][a * values + v][y].__setitem__(x, grid[b][a * values + v][y][x] + g * weight)
                    if (a, y, x) in owner:
                        seen["positive"] += 1
                        r, tx, ty = owner[a, y, x]
                        w, h = r[2] - r[0], r[3] - r[1]
                        share = 2 - w * h / SIDE**2
                        for v, target in ((0, tx), (1, ty)):
                            terms["box_xy"] += weight * share * bce(p[v], target)
                            put(v, share * (sigmoid(p[v]) - target))
                        for v, target in ((2, math.log(w / aw)), (3, math.log(h / ah))):
                            terms["box_wh"] += weight * share * 0.5 * (p[v] - target) ** 2
                            put(v, share * (p[v] - target))
                        for c in range(CLASSES):
                            terms["classes"] += weight * bce(p[5 + c], float(c == r[4]))
                            put(5 + c, sigmoid(p[5 + c]) - float(c == r[4]))
                        terms["objectness"] += weight * bce(p[4], 1)
                        put(4, sigmoid(p[4]) - 1)
                        continue
                    cx, cy = (x + sigmoid(p[0])) * stride, (y + sigmoid(p[1])) * stride
                    w, h = aw * math.exp(p[2]), ah * math.exp(p[3])
                    overlaps = [iou((cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2), r) for r in objects]
                    nearest = min([nearest] + [abs(o - IGNORE) for o in overlaps])
                    mx, my = (x + 0.5) * stride, (y + 0.5) * stride
                    if any(o >= IGNORE for o in overlaps):
                        seen["ignored"] += 1
                    elif any(r[0] <= mx < r[2] and r[1] <= my < r[3] for r in crowds):
                        seen["in crowd"] += 1
                    else:
                        seen["negative"] += 1
                        terms["objectness"] += weight * bce(p[4], 0)
                        put(4, sigmoid(p[4]))
    gradients.append([round(v, 9) for picture in grid for channel in picture for row in channel for v in row])

assert all(seen.values()), seen  # every case occurs
assert nearest > 1e-4, nearest  # none is decided by rounding
print(json.dumps({
    "side": SIDE, "classes": CLASSES, "ignore_iou": IGNORE, "anchors": [v for anchor in ANCHORS for v in anchor],
    "strides": [stride for stride, _ in HEADS], "masks": [mask for _, mask in HEADS],
    "weights": [weight for weight, _ in PICTURES], "boxes": [[list(r) for r in rows] for _, rows in PICTURES],
    "terms": list(terms.values()), "names": list(terms), "normaliser": sum(weight for weight, _ in PICTURES), "gradients": gradients}))
