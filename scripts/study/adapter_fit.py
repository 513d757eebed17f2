"""Ultralytics' yolov8n from scratch by its own trainer, on its own dataset or, by samples/python/ultralytics_trainer.py, on a store.

usage: adapter_fit.py own DATA_YAML | store STORE    SIDE BATCH EPOCHS SEED THREADS OUT [plain]  ->  one JSON line: a number per epoch
plain: its own dataset is not augmented. Needs the package letterpress for a store. train_s: from an epoch's begin to its last step, validation aside.
"""
import contextlib
import json
import os
import pathlib
import resource
import sys
import time

os.environ["YOLO_OFFLINE"] = "true"
os.environ["YOLO_VERBOSE"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "samples" / "python"))

PLAIN = dict.fromkeys(("mosaic", "close_mosaic", "fliplr", "translate", "scale", "hsv_h", "hsv_s", "hsv_v"), 0)  # all that its loader does by default, beside albumentations

if "plain" in sys.argv[9:]:
    sys.modules["albumentations"] = None  # its loader would blur, grey and equalise one picture in a hundred each, where that is installed

import torch  # noqa: E402
import ultralytics  # noqa: E402
from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402


def main():
    arm, data, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[8])
    side, batch, epochs, seed, threads = map(int, sys.argv[3:8])
    found = {"map50": [], "map50_95": [], "train_s": []}
    options = {"data": data, "model": "yolov8n.yaml", "imgsz": side, "batch": batch, "epochs": epochs, "seed": seed, "device": "cpu", "workers": 1}
    options |= {"pretrained": False, "plots": False, "project": str(out.parent.resolve()), "name": out.name, "exist_ok": True}

    def validated(trainer):
        for name, key in (("map50", "metrics/mAP50(B)"), ("map50_95", "metrics/mAP50-95(B)")):
            found[name].append(float(trainer.metrics[key]))

    with contextlib.redirect_stdout(sys.stderr):
        if arm == "store":
            from ultralytics_trainer import StoreTrainer as Trainer

            options["close_mosaic"] = 0  # a loader of rows has none to close
        else:
            Trainer = DetectionTrainer
            options |= PLAIN if "plain" in sys.argv[9:] else {}
        trainer = Trainer(overrides=options)
        trainer.add_callback("on_train_start", lambda _: torch.set_num_threads(threads))
        trainer.add_callback("on_train_epoch_start", lambda _: found["train_s"].append(-time.perf_counter()))
        trainer.add_callback("on_train_epoch_end", lambda _: found["train_s"].append(found["train_s"].pop() + time.perf_counter()))
        trainer.add_callback("on_fit_epoch_end", validated)
        trainer.train()
    found = {name: values[:epochs] for name, values in found.items()}  # behind the last: its best weights, once more
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processors = sum(one.ru_utime + one.ru_stime for one in used)
    print(json.dumps(found | {"processor_s": processors, "version": ultralytics.__version__}))


main()
