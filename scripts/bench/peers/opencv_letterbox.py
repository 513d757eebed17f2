"""Rate of opencv-python: decode and letterbox, one thread. usage: opencv_letterbox.py LIST SIDE COUNT  ->  one JSON line"""
import time

import cv2

import report


def letterboxed(path, side):
    picture = cv2.imread(path)
    scale = min(side / picture.shape[1], side / picture.shape[0])
    width, height = round(picture.shape[1] * scale), round(picture.shape[0] * scale)
    if (width, height) != (picture.shape[1], picture.shape[0]):
        picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR)
    top, left = (side - height) // 2, (side - width) // 2
    return cv2.copyMakeBorder(picture, top, side - height - top, left, side - width - left, cv2.BORDER_CONSTANT, value=(114, 114, 114))


def main():
    cv2.setNumThreads(1)
    lines, side, count = report.arguments()
    paths = report.paths(lines)
    letterboxed(paths[0], side)
    started = time.perf_counter()
    for i in range(count):
        letterboxed(paths[i % len(paths)], side)
    report.rate(count, time.perf_counter() - started, "opencv-python-headless")


main()
