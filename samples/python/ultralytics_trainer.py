#!/usr/bin/env python3
"""Ultralytics' trainer with a store in place of its dataset. Augmentations are those of the store; its own are off.

usage: samples/python/ultralytics_trainer.py STORE [--model yolov8n.yaml] [--epochs 3] [--batch 16] [--device cpu]
needs: pip install letterpress torch ultralytics
"""
import argparse

import letterpress
import numpy as np
import torch
from ultralytics.models.yolo.detect import DetectionTrainer


class Batches:
    """An epoch a pass, in the form that the trainer and its validator take."""

    def __init__(self, store, split, batch, order, seed):
        self.loader = letterpress.Loader(store, split, batch, order=order, seed=seed)
        self.batch_size, self.num_workers, self.drop_last = batch, 0, True  # every batch of a training is full
        self.dataset = self.sampler = store[split]  # their length is asked for

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for batch in self.loader:
            rows, side = int(batch.weights.sum()), batch.images.shape[1]  # the last batch of a validation is padded
            used = (np.arange(batch.boxes.shape[1]) < batch.counts[:, None]) & (batch.flags & 1 == 0)  # crowds are left out
            first, last, classes = np.split(batch.boxes[used] / [side, side, side, side, 1], [2, 4], axis=1)
            yield {"img": torch.from_dlpack(batch.images).permute(0, 3, 1, 2)[:rows], "cls": torch.from_numpy(classes).float(),
                   "bboxes": torch.from_numpy(np.hstack([(first + last) / 2, last - first])).float(),
                   "batch_idx": torch.from_numpy(used.nonzero()[0]).float(), "im_file": [f"{p:016x}" for p in batch.picture_ids[:rows]],
                   "ori_shape": [(side, side)] * rows, "resized_shape": [(side, side)] * rows, "ratio_pad": [((1, 1), (0, 0))] * rows}


class StoreTrainer(DetectionTrainer):
    def get_dataset(self):
        self.store = letterpress.open(self.args.data)
        return {"train": "train", "val": "val", "names": dict(enumerate(self.store.classes)), "nc": len(self.store.classes), "channels": 3}

    def get_dataloader(self, split, batch_size=16, rank=0, mode="train"):
        return Batches(self.store, split, batch_size, "shuffle" if mode == "train" else "once", self.args.seed)

    final_eval = lambda self: None  # it would open a dataset of files; the last epoch is measured as every other  # noqa: E731


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in {"store": "", "--model": "yolov8n.yaml", "--epochs": 3, "--batch": 16, "--device": "cpu"}.items():
        parser.add_argument(name, default=value, type=type(value))
    arguments = parser.parse_args()
    own = {"data": arguments.store, "imgsz": letterpress.open(arguments.store).side, "plots": False, "close_mosaic": 0}
    trainer = StoreTrainer(overrides={name: value for name, value in vars(arguments).items() if name != "store"} | own)
    trainer.train()
    print("mAP50 {metrics/mAP50(B):.4f}, mAP50-95 {metrics/mAP50-95(B):.4f}".format(**trainer.metrics))


if __name__ == "__main__":
    main()
