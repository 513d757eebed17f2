"""Trains Ultralytics' yolov8n from scratch with its own defaults, through its documented Python interface; its own validation after each epoch.
One that was stopped goes on from the last checkpoint in OUT.

usage: ultralytics_fit.py DATA_YAML SIDE BATCH EPOCHS SEED THREADS OUT DEVICE  ->  one JSON line: the curves, one number per epoch
DEVICE: cpu, cuda or cuda:N
"""
import contextlib
import csv
import json
import os
import pathlib
import sys

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"

import torch  # noqa: E402
import ultralytics  # noqa: E402

CURVES = {"map50": "metrics/mAP50(B)", "map50_95": "metrics/mAP50-95(B)"}


def curves_of(out):
    """{curve: a number for each epoch}, of its results.csv. An epoch that a stopped training had written and did again counts as it was done last."""
    if not (out / "results.csv").exists():
        return {name: [] for name in CURVES}
    with open(out / "results.csv", newline="") as file:
        rows = {int(row["epoch"]): row for row in csv.DictReader(file)}
    return {name: [float(row[column]) for row in rows.values()] for name, column in CURVES.items()}


def can_be_loaded(checkpoint):
    """One that was cut when the training was stopped cannot: the training begins anew."""
    try:
        torch.load(checkpoint, map_location="cpu", weights_only=False)
        return True
    except Exception as failure:  # whatever a cut pickle leads to
        print(f"{checkpoint}: {failure}", file=sys.stderr)
        return False


def train(out, data, options, threads):
    last = out / "weights/last.pt"
    goes_on = last.exists() and can_be_loaded(last)
    model = ultralytics.YOLO(last if goes_on else "yolov8n.yaml")
    model.add_callback("on_train_start", lambda trainer: torch.set_num_threads(threads))
    machine = {name: options[name] for name in ("device", "workers")}
    model.train(**({"resume": True} | machine if goes_on else {"data": str(data)} | options))


def main():
    data, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[7])
    side, batch, epochs, seed, threads = map(int, sys.argv[2:7])
    device = sys.argv[8].removeprefix("cuda").removeprefix(":") or "0"  # its own name of cuda:N is N
    options = {"imgsz": side, "batch": batch, "epochs": epochs, "seed": seed, "device": device, "pretrained": False}
    options |= {"workers": 1 if device == "cpu" else threads}
    options |= {"plots": False, "project": str(out.parent.resolve()), "name": out.name, "exist_ok": True}
    if len(curves_of(out)["map50"]) < epochs:
        with contextlib.redirect_stdout(sys.stderr):
            train(out, data, options, threads)
    print(json.dumps(curves_of(out) | {"version": ultralytics.__version__}))


main()
