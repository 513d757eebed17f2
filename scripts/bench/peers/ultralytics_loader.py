"""Rate of Ultralytics' training loader, two workers, its default augmentation without mosaic; with `ram` from its cache in memory.

usage: ultralytics_loader.py LIST SIDE COUNT [ram]  ->  one JSON line
"""
import contextlib
import os
import pathlib
import sys
import time

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"
sys.modules["albumentations"] = None  # it would slow the loader that uses it when it is there

from ultralytics.cfg import get_cfg  # noqa: E402
from ultralytics.data import build_dataloader, build_yolo_dataset  # noqa: E402
from ultralytics.data.utils import check_det_dataset  # noqa: E402

import report  # noqa: E402

BATCH, WORKERS = 16, 2


def loader(folder, side, in_memory):
    data = check_det_dataset(str(folder / "data.yaml"), autodownload=False)
    options = {"mosaic": 0.0, "imgsz": side, "cache": "ram" if in_memory else False, "task": "detect", "workers": WORKERS}
    dataset = build_yolo_dataset(get_cfg(overrides=options), data["train"], BATCH, data, mode="train", rect=False, stride=32)
    return build_dataloader(dataset, BATCH, WORKERS, shuffle=True)


def endless(batches):
    while True:
        yield from batches


def main():
    with contextlib.redirect_stdout(sys.stderr):
        lines, side, count = report.arguments()
        folder = pathlib.Path(report.paths(lines)[0]).parents[2]
        stream = endless(loader(folder, side, sys.argv[4:] == ["ram"]))
        for _ in range(6):  # what the workers have made ahead is not counted
            next(stream)
        done = 0
        started = time.perf_counter()
        while done < count:
            done += len(next(stream)["img"])
        seconds = time.perf_counter() - started
    report.rate(done, seconds, "ultralytics", "torch", "opencv-python-headless")


main()
