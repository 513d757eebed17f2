"""Average precision of the Pascal VOC development kit (VOCevaldet.m), written from its description for the test alone: exact fractions,
inclusive pixel coordinates, one detection at a time."""
from fractions import Fraction


def overlap(a, b):
    """IoU of (xmin, ymin, xmax, ymax), ends included as in VOC's files; Fractions."""
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    if width <= 0 or height <= 0:
        return Fraction(0)
    areas = [(box[2] - box[0] + 1) * (box[3] - box[1] + 1) for box in (a, b)]
    return width * height / (sum(areas) - width * height)


def inclusive(bbox):
    """COCO's x, y, width, height -> VOC's corners: 1-based, the last pixel included."""
    x, y, width, height = (Fraction(v) for v in bbox)
    return x + 1, y + 1, x + width, y + height


def marks(truths, detections):
    """truths: {image: [(bbox, counts)]}; detections: [(image, bbox, score)] in order. True, False or None (neither) by descending score."""
    used, answer = set(), []
    for image, bbox, _ in sorted(detections, key=lambda d: -d[2]):
        there = [(overlap(inclusive(bbox), inclusive(t)), i) for i, (t, _) in enumerate(truths.get(image, []))]
        best = max(there, key=lambda o: (o[0], -o[1]), default=(Fraction(0), -1))
        if best[0] < Fraction(1, 2):
            answer.append(False)
        elif not truths[image][best[1]][1]:
            answer.append(None)
        else:
            answer.append((image, best[1]) not in used)
            used.add((image, best[1]))
    return answer


def figures(truths, detections):
    """(number of truths, 11-point AP, all-point AP) of one class; -1 where nothing is to be found."""
    wanted = sum(counts for boxes in truths.values() for _, counts in boxes)
    if wanted == 0:
        return 0, -1, -1
    points, right = [], 0  # (recall, precision)
    counted = [m for m in marks(truths, detections) if m is not None]
    for n, mark in enumerate(counted, 1):
        right += mark
        points.append((Fraction(right, wanted), Fraction(right, n)))
    eleven = sum(max((p for r, p in points if r >= Fraction(k, 10)), default=Fraction(0)) for k in range(11)) / 11
    area, before = Fraction(0), Fraction(0)
    for recall in sorted({r for r, _ in points if r > 0}):
        area += (recall - before) * max(p for r, p in points if r >= recall)
        before = recall
    return wanted, float(eleven), float(area)
