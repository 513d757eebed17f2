#!/usr/bin/env python3
"""Trains one of torchvision's detectors from a store, in a plain PyTorch loop.

usage: samples/python/torchvision_detector.py STORE [--epochs 2] [--batch 8] [--device cpu]
needs: pip install letterpress torch torchvision
"""
import argparse

import letterpress
import torch
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn

CROWD = 1


def images_on(device, batch):
    """uint8 [B, S, S, 3] -> float32 [B, 3, S, S], 0..1: bytes go to the device and become floats there."""
    return torch.from_dlpack(batch.images).to(device, non_blocking=True).permute(0, 3, 1, 2).float() / 255


def targets_on(device, batch):
    """torchvision's: per picture its boxes in pixels, and their classes from 1, as 0 is the background. Crowds are left out."""
    targets = []
    for boxes, flags, count in zip(batch.boxes, batch.flags, batch.counts):
        used = torch.from_numpy(boxes[:count][(flags[:count] & CROWD) == 0])
        targets.append({"boxes": used[:, :4].to(device), "labels": used[:, 4].long().to(device) + 1})
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    store = letterpress.open(arguments.store)
    # Rows have the network's side already: it is told to resize nothing.
    model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=len(store.classes) + 1,
                                                  min_size=store.side, max_size=store.side).to(arguments.device)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
    loader = letterpress.Loader(store, "train", arguments.batch)
    for epoch in range(arguments.epochs):
        total, steps = 0.0, len(loader)
        for batch in loader:
            losses = model(list(images_on(arguments.device, batch)), targets_on(arguments.device, batch))
            loss = sum(losses.values())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.detach()
        print(f"epoch {epoch + 1}/{arguments.epochs}: {steps} steps, loss {float(total) / steps:.4f}, waited {loader.waited_s:.3f} s")


if __name__ == "__main__":
    main()
