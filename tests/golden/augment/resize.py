#!/usr/bin/env python3
"""Writes resize.json: drawn pictures at other sides as Pillow's BILINEAR filter has them, channel by channel in mode F (float32). Needs Pillow and
numpy.

    .deps/test/bin/python tests/golden/augment/resize.py > tests/golden/augment/resize.json
"""
import json

import numpy
from PIL import Image

CASES = [(9, 4), (16, 12), (12, 5), (5, 8), (7, 21)]  # from, to


def drawn(side):
    """[3, side, side], 0..1: ((i * 7919) mod 10007) / 10007 in C order"""
    count = numpy.arange(3 * side * side, dtype=numpy.int64)
    return ((count * 7919 % 10007) / 10007).astype(numpy.float32).reshape(3, side, side)


def resize(planes, side):
    return [numpy.asarray(Image.fromarray(plane, "F").resize((side, side), Image.Resampling.BILINEAR)) for plane in planes]


cases = [{"from": a, "to": b, "values": [round(float(v), 7) for v in numpy.stack(resize(drawn(a), b)).ravel()]} for a, b in CASES]
print(json.dumps(cases, separators=(",", ":")))
