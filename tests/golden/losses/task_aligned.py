#!/usr/bin/env python3
"""Writes task_aligned.json: values and gradients of the task-aligned loss for a batch of odd pictures. Who takes which point is decided point
by point in plain Python (arXiv:2108.07755); the terms are those of arXiv:1911.08287 and arXiv:2006.04388, point by point in float64, and
their gradients are PyTorch's automatic ones.

    pip install torch; python3 tests/golden/losses/task_aligned.py > tests/golden/losses/task_aligned.json
"""
import json
import math

import torch

SIDE, CLASSES, BINS, STRIDES, TOP = 48, 3, 5, [16, 8], 10
CROWD, DIFFICULT = 1, 2
PICTURES = [  # (weight, [(x1, y1, x2, y2, class, flags)])
    (1, [(3, 4, 25, 27, 0, 0), (10, 20, 44, 46, 2, 0), (28, 2, 46, 19, 1, 0)]),
    (1, []),
    (1, [(1, 1, 23, 30, 1, CROWD), (26, 25, 41, 45, 2, DIFFICULT), (22, 3, 47, 21, 0, 0)]),
    (1, [(5, 6, 41, 44, 0, 0), (6, 9, 43, 42, 1, 0)]),  # both want the same points
    (0, [(5, 6, 25, 30, 1, 0)]),
    (1, [(20, 20, 20, 30, 1, 0), (9, 25, 11, 27, 2, 0), (0, 0, 48, 48, 1, 0)]),  # no width; no point inside; more points than it takes
    (1, [(8, 8, 30, 34, 0, 0), (0, 0, 40, 40, 2, CROWD)]),  # an object inside a crowd region
]


def logit(i):
    return (i * 7919 % 10007) / 10007 * 2 - 1


def ciou(a, b):
    """Of float64 scalars that may be tensors: a is what is learnt, b the truth."""
    lib = torch if torch.is_tensor(a[0]) else None
    largest = (lambda x, y: torch.maximum(x, torch.as_tensor(y, dtype=torch.float64))) if lib else max
    least = (lambda x, y: torch.minimum(x, torch.as_tensor(y, dtype=torch.float64))) if lib else min
    atan = torch.atan if lib else math.atan
    w, h = largest(least(a[2], b[2]) - largest(a[0], b[0]), 0.0), largest(least(a[3], b[3]) - largest(a[1], b[1]), 0.0)
    wa, ha, wb, hb = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    iou = w * h / (wa * ha + wb * hb - w * h)
    c2 = (largest(a[2], b[2]) - least(a[0], b[0])) ** 2 + (largest(a[3], b[3]) - least(a[1], b[1])) ** 2
    rho2 = ((a[0] + a[2] - b[0] - b[2]) ** 2 + (a[1] + a[3] - b[1] - b[3]) ** 2) / 4
    v = 4 / math.pi**2 * (math.atan(wb / hb) - atan(wa / ha)) ** 2
    alpha = v / (1 - iou + v)
    if lib:
        alpha = alpha.detach()
    return iou - rho2 / c2 - alpha * v


points = [((x + 0.5) * s, (y + 0.5) * s, s) for s in STRIDES for y in range(SIDE // s) for x in range(SIDE // s)]
channels = 4 * BINS + CLASSES
leaves = []  # per head, [B, channels, h, w]
for s in STRIDES:
    n = SIDE // s
    values = [logit(i) for i in range(len(PICTURES) * channels * n * n)]
    leaves.append(torch.tensor(values, dtype=torch.float64).view(len(PICTURES), channels, n, n).requires_grad_())

terms = {name: torch.zeros((), dtype=torch.float64) for name in ("box", "classes", "distribution")}
seen = dict.fromkeys(["positive", "contested", "more than ten", "no point", "in crowd", "positive in crowd"], 0)
normaliser, margin = 0.0, 1.0
for b, (weight, rows) in enumerate(PICTURES):
    flat = torch.cat([leaf[b].flatten(1).t() for leaf in leaves])  # [P, channels]
    shares = flat[:, :4 * BINS].view(-1, 4, BINS).softmax(2)
    means = (shares * torch.arange(BINS, dtype=torch.float64)).sum(2)  # strides
    boxes = [[x - m[0] * s, y - m[1] * s, x + m[2] * s, y + m[3] * s] for (x, y, s), m in zip(points, means)]
    numbers = [[float(v.detach()) for v in box] for box in boxes]
    scores = flat[:, 4 * BINS:].sigmoid().tolist()
    objects = [r for r in rows if not r[5] & CROWD and r[2] > r[0] and r[3] > r[1]]
    crowds = [r for r in rows if r[5] & CROWD]
    claims, metrics, overlaps = {}, {}, {}
    for t, r in enumerate(objects):
        inside = [p for p, (x, y, _) in enumerate(points) if r[0] < x < r[2] and r[1] < y < r[3]]
        for p in inside:
            overlaps[t, p] = max(ciou(numbers[p], r), 0.0)
            metrics[t, p] = scores[p][r[4]] ** 0.5 * overlaps[t, p] ** 6
        ranked = sorted((p for p in inside if metrics[t, p] > 0), key=lambda p: -metrics[t, p])
        seen["more than ten"] += len(ranked) > TOP
        seen["no point"] += not inside
        if len(ranked) > TOP:
            margin = min(margin, metrics[t, ranked[TOP - 1]] / metrics[t, ranked[TOP]] - 1)
        for p in ranked[:TOP]:
            claims.setdefault(p, []).append(t)
    owner = {}
    for p, wanting in claims.items():
        ordered = sorted(wanting, key=lambda t: -overlaps[t, p])
        if len(ordered) > 1:
            seen["contested"] += 1
            margin = min(margin, overlaps[ordered[0], p] / overlaps[ordered[1], p] - 1)
        owner[p] = ordered[0]
    target = {}
    for t in range(len(objects)):
        own = [p for p in owner if owner[p] == t]
        for p in own:
            target[p] = metrics[t, p] / max(metrics[t, q] for q in own) * max(overlaps[t, q] for q in own)
    normaliser += weight * sum(target.values())
    for p, (x, y, s) in enumerate(points):
        in_crowd = any(r[0] <= x < r[2] and r[1] <= y < r[3] for r in crowds)
        if p in owner:
            seen["positive"] += 1
            seen["positive in crowd"] += in_crowd
            r, share = objects[owner[p]], weight * target[p]
            terms["box"] = terms["box"] + 7.5 * share * (1 - ciou(boxes[p], r))
            for side, wanted in enumerate([(x - r[0]) / s, (y - r[1]) / s, (r[2] - x) / s, (r[3] - y) / s]):
                wanted = min(max(wanted, 0.0), BINS - 1 - 0.01)
                left = int(wanted)
                chances = shares[p, side].log()
                nats = -(left + 1 - wanted) * chances[left] - (wanted - left) * chances[left + 1]
                terms["distribution"] = terms["distribution"] + 1.5 * share * nats / 4
        elif in_crowd:
            seen["in crowd"] += 1
            continue
        for c in range(CLASSES):
            wanted = target[p] if p in owner and objects[owner[p]][4] == c else 0.0
            q = flat[p, 4 * BINS + c].sigmoid()
            terms["classes"] = terms["classes"] - 0.5 * weight * (wanted * q.log() + (1 - wanted) * (1 - q).log())

sum(terms.values()).backward()
assert all(seen.values()), seen  # every case occurs
assert margin > 1e-4, margin  # none is decided by rounding
print(json.dumps({
    "side": SIDE, "classes": CLASSES, "bins": BINS, "strides": STRIDES, "weights": [weight for weight, _ in PICTURES],
    "boxes": [[list(r) for r in rows] for _, rows in PICTURES], "names": list(terms), "terms": [float(v.detach()) for v in terms.values()],
    "normaliser": normaliser, "gradients": [[round(v, 8) for v in leaf.grad.flatten().tolist()] for leaf in leaves]}))
