"""Trains Ultralytics' yolov8n from scratch with its own defaults, through its documented Python interface; its own validation after each epoch.

usage: ultralytics_fit.py DATA_YAML SIDE BATCH EPOCHS SEED THREADS OUT DEVICE  ->  one JSON line: the curves, one number per epoch
DEVICE: cpu, cuda or cuda:N
"""
import contextlib
import json
import os
import pathlib
import sys

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"

import torch  # noqa: E402
import ultralytics  # noqa: E402


def main():
    data, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[7])
    side, batch, epochs, seed, threads = map(int, sys.argv[2:7])
    device = sys.argv[8].removeprefix("cuda").removeprefix(":") or "0"  # its own name of cuda:N is N
    curves = {"map50": [], "map50_95": []}

    def validated(trainer):
        for name, key in (("map50", "metrics/mAP50(B)"), ("map50_95", "metrics/mAP50-95(B)")):
            curves[name].append(float(trainer.metrics[key]))

    with contextlib.redirect_stdout(sys.stderr):
        model = ultralytics.YOLO("yolov8n.yaml")
        model.add_callback("on_train_start", lambda trainer: torch.set_num_threads(threads))
        model.add_callback("on_fit_epoch_end", validated)
        options = {"imgsz": side, "batch": batch, "epochs": epochs, "seed": seed, "device": device, "pretrained": False}
        options |= {"workers": 1 if device == "cpu" else threads}
        options |= {"plots": False, "project": str(out.parent.resolve()), "name": out.name, "exist_ok": True}
        model.train(data=str(data), **options)
    curves = {name: values[:epochs] for name, values in curves.items()}  # behind the last: its best weights, once more
    print(json.dumps(curves | {"version": ultralytics.__version__}))


main()
