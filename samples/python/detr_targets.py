#!/usr/bin/env python3
"""COCO-style targets from a store, as DETR and its relatives (Deformable DETR, RT-DETR, RF-DETR) take them, and a few steps of one.

usage: samples/python/detr_targets.py STORE [--steps 4]
needs: pip install letterpress torch transformers scipy
"""
import argparse

import letterpress
import torch
from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig

MEAN, STD = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def targets_of(batch, side):
    """Per picture: boxes float32 [n, 4], centre, width and height as shares of the frame; class_labels, in RF-DETR labels, int64 [n]; iscrowd, area."""
    targets = []
    for picture, boxes, flags, count in zip(batch.picture_ids.tolist(), batch.boxes, batch.flags, batch.counts):
        corners, classes = torch.from_numpy(boxes[:count]).split([4, 1], dim=1)
        first, last = corners.split(2, dim=1)
        targets.append({
            "image_id": picture,
            "boxes": torch.cat([(first + last) / 2, last - first], dim=1) / side,
            "class_labels": (labels := classes.flatten().long()), "labels": labels,
            "area": (last - first).prod(dim=1),  # pixels of the frame
            "iscrowd": torch.from_numpy(flags[:count]).long() & 1,
            "size": torch.tensor([side, side]),
        })
    return targets


def small_detr(classes):
    """DETR from scratch, small enough for a test."""
    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1], layer_type="basic", out_features=["stage2"])
    return DetrForObjectDetection(DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone,
                                             num_labels=classes, num_queries=20, d_model=32, encoder_layers=1, decoder_layers=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--steps", type=int, default=4)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    store = letterpress.open(arguments.store)
    model = small_detr(len(store.classes))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = letterpress.Loader(store, "train", batch=4, dtype="float32")
    for step, batch in zip(range(arguments.steps), batches):
        images = (torch.from_dlpack(batch.images).permute(0, 3, 1, 2) - MEAN) / STD
        loss = model(pixel_values=images, labels=targets_of(batch, store.side)).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        print(f"step {step + 1}: {int(batch.counts.sum())} boxes, loss {float(loss.detach()):.4f}")


if __name__ == "__main__":
    main()
