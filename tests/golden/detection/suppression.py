"""Writes suppression.json: what each variant of non-maximum suppression keeps of drawn boxes, by plain loops after the papers' formulas.

    python suppression.py > suppression.json        # needs Python alone

DIoU: arXiv:1911.08287, section 4.3; soft, Gaussian, sigma 0.5: arXiv:1704.04503, section 3. Boxes and scores are drawn as suppress_test does.
"""
import json
import math
import struct


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


class Draw:
    def __init__(self, seed):
        self.x = seed

    def __call__(self, n):
        self.x = (1103515245 * self.x + 12345) % 2**31
        return (self.x >> 8) % n


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def iou(a, b):
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = w * h if w > 0 and h > 0 else 0
    return common / (area(a) + area(b) - common)


def diou(a, b):
    distance = sum(((a[i] + a[i + 2]) / 2 - (b[i] + b[i + 2]) / 2) ** 2 for i in (0, 1))
    diagonal = sum((max(a[i + 2], b[i + 2]) - min(a[i], b[i])) ** 2 for i in (0, 1))
    return iou(a, b) - distance / diagonal


def greedy(candidates, threshold, measure, across_classes):
    kept = []
    for score, i, c, box in sorted(candidates, key=lambda one: (-one[0], one[1], one[2])):
        if all(measure(better, box) <= threshold or (c != other and not across_classes) for _, _, other, better in kept):
            kept.append((score, i, c, box))
    return kept


def soft(candidates, confidence):
    left = sorted(candidates, key=lambda one: (-one[0], one[1], one[2]))
    kept = []
    while left:
        best = max(range(len(left)), key=lambda k: (left[k][0], -k))
        kept.append(left.pop(best))
        _, _, c, box = kept[-1]
        left = [(float32(s * math.exp(-iou(box, other) ** 2 / 0.5)) if c == d else s, i, d, other) for s, i, d, other in left]
        left = [one for one in left if one[0] > confidence]
    return kept


def case(seed, variant, n, classes, confidence, threshold):
    draw, candidates = Draw(seed), []
    for i in range(n):
        x, y, w, h = draw(60), draw(60), 1 + draw(40), 1 + draw(40)
        for c in range(classes):
            score = float32((1 + draw(9973)) / 10000)
            if score > float32(confidence):
                candidates.append((score, i, c, (x, y, x + w, y + h)))
    if variant == "soft":
        kept = soft(candidates, float32(confidence))
    else:
        kept = greedy(candidates, float32(threshold), diou if variant == "diou" else iou, variant == "agnostic")
    return {"seed": seed, "suppression": variant, "n": n, "classes": classes, "confidence": confidence, "iou": threshold,
            "kept": [[i, c, round(score, 7)] for score, i, c, _ in kept]}


cases = []
for variant in ["class", "agnostic", "diou", "soft"]:
    for n, classes, confidence, threshold in [(40, 1, 0.1, 0.5), (80, 3, 0.25, 0.5), (120, 2, 0.4, 0.1), (60, 4, 0.7, 0.7), (30, 2, 0.001, 0.3)]:
        cases.append(case(len(cases) + 1, variant, n, classes, confidence, threshold))
print("[" + ",\n".join(json.dumps(one) for one in cases) + "]")
