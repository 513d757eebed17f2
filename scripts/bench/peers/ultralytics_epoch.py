"""Rate of Ultralytics' training through its documented Python interface: yolov8n from scratch on the CPU, default augmentation, mosaics in every epoch.

usage: ultralytics_epoch.py DATA_YAML SIDE BATCH THREADS  ->  one JSON line

THREADS 0: as many as it takes by itself. DATA_YAML is beside images/train. Two epochs without validation; the second counts, from its first batch to its last.
"""
import contextlib
import os
import pathlib
import sys
import time

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"
sys.modules["albumentations"] = None  # it would slow the loader that uses it when it is there

import torch  # noqa: E402
from ultralytics import YOLO  # noqa: E402

import report  # noqa: E402


def main():
    data, side, batch, threads = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:5])
    begins, ends = [], []

    def begin(trainer):
        if not begins:
            print(f"Ultralytics: {torch.get_num_threads()} threads by its own choice", file=sys.stderr)
        if threads:
            torch.set_num_threads(threads)
        begins.append(time.perf_counter())

    with contextlib.redirect_stdout(sys.stderr):
        model = YOLO("yolov8n.yaml")
        model.add_callback("on_train_epoch_start", begin)
        model.add_callback("on_train_epoch_end", lambda trainer: ends.append(time.perf_counter()))
        options = {"imgsz": side, "batch": batch, "workers": os.cpu_count(), "device": "cpu", "epochs": 2, "pretrained": False}
        # close_mosaic 0: its default, the last ten epochs, would be both of these.
        options |= {"close_mosaic": 0, "val": False, "save": False, "plots": False, "project": str(data.parent), "name": "run", "exist_ok": True}
        model.train(data=str(data), **options)
    pictures = len(list((data.parent / "images" / "train").iterdir()))
    report.rate(pictures, ends[1] - begins[1], "ultralytics", "torch", "opencv-python-headless")


main()
