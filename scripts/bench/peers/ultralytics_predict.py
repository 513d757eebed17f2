"""Pictures per second of Ultralytics' predict, from files to boxes, through its documented Python interface: yolov8n of its own on the CPU.

usage: ultralytics_predict.py LIST SIDE CLASSES BATCH THREADS SAVE  ->  one JSON line

LIST: a picture per line. SAVE 1: it draws and writes each picture, as our predict does. The model is loaded and has predicted once before time is taken.
The weights are as it initialises them: nothing is found, so that its suppression and drawing have less to do than ours.
"""
import contextlib
import os
import pathlib
import sys
import tempfile
import time

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"

import torch  # noqa: E402
from ultralytics import YOLO  # noqa: E402
from ultralytics.nn.tasks import DetectionModel  # noqa: E402

import report  # noqa: E402


def main():
    side, classes, batch, threads, save = map(int, sys.argv[2:7])
    pictures = pathlib.Path(sys.argv[1]).read_text().splitlines()
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as folder:
        model = YOLO("yolov8n.yaml")
        model.model = DetectionModel("yolov8n.yaml", nc=classes, verbose=False).eval()
        options = {"imgsz": side, "batch": batch, "device": "cpu", "conf": 0.25, "verbose": False, "save": bool(save), "project": folder, "name": "found"}
        torch.set_num_threads(threads)
        list(model.predict(pictures[:batch], stream=True, **options))
        torch.set_num_threads(threads)
        begin = time.perf_counter()
        n = sum(1 for _ in model.predict(pictures, stream=True, **options))
        seconds = time.perf_counter() - begin
    report.rate(n, seconds, "ultralytics", "torch", "opencv-python-headless")


main()
