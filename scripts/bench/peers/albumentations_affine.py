"""Rate of albumentations: decode by OpenCV, letterbox, affine, mirror, HSV with boxes, one thread.

usage: albumentations_affine.py LIST SIDE COUNT  ->  one JSON line
"""
import os

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"
import time  # noqa: E402

import albumentations  # noqa: E402
import cv2  # noqa: E402
import numpy  # noqa: E402

import report  # noqa: E402


def pipeline(side):
    grey = (114, 114, 114)
    steps = [
        albumentations.LongestMaxSize(max_size=side),
        albumentations.PadIfNeeded(min_height=side, min_width=side, border_mode=cv2.BORDER_CONSTANT, fill=grey),
        albumentations.Affine(scale=(0.5, 1.5), translate_percent=(-0.1, 0.1), fill=grey, p=1),
        albumentations.HorizontalFlip(p=0.5),
        albumentations.HueSaturationValue(hue_shift_limit=3, sat_shift_limit=100, val_shift_limit=80, p=1),
    ]
    boxes = albumentations.BboxParams(format="pascal_voc", label_fields=["classes"], min_area=4, min_visibility=0.15)
    return albumentations.Compose(steps, bbox_params=boxes)


def sample(line, transform):
    path, *fields = line.split()
    rows = numpy.array([[float(number) for number in field.split(",")] for field in fields])
    picture = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGB)
    return transform(image=picture, bboxes=rows[:, :4], classes=rows[:, 4])


def main():
    cv2.setNumThreads(1)
    lines, side, count = report.arguments()
    transform = pipeline(side)
    sample(lines[0], transform)
    started = time.perf_counter()
    for i in range(count):
        sample(lines[i % len(lines)], transform)
    report.rate(count, time.perf_counter() - started, "albumentations", "opencv-python-headless")


main()
