"""Recomputes by the standard library's colorsys what operation hsv made of pictures, from the numbers drawn for them. Usage: check_hsv.py FILE"""
import colorsys
import json
import sys

HUE, SATURATION, VALUE = 0.015, 1.7, 1.4


def factor(coin, number, most):
    raised = 1 + number * (most - 1)
    return raised if coin < 0.5 else 1 / raised


furthest, pixels = 0.0, 0
for case in json.load(open(sys.argv[1])):
    for drawn, before, after in zip(case["drawn"], case["before"], case["after"]):
        turn = HUE * (2 * drawn[0] - 1)
        saturation, value = factor(drawn[1], drawn[2], SATURATION), factor(drawn[3], drawn[4], VALUE)
        for i in range(0, len(before), 3):
            h, s, v = colorsys.rgb_to_hsv(*before[i : i + 3])
            wanted = colorsys.hsv_to_rgb((h + turn) % 1, min(1, s * saturation), min(1, v * value))
            furthest = max(furthest, *(abs(a - b) for a, b in zip(wanted, after[i : i + 3])))
            pixels += 1
if pixels < 1000 or furthest > 1e-5:
    sys.exit(f"{pixels} pixels, the furthest {furthest} from colorsys")
