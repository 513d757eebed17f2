"""Writes ultralytics.pt and ultralytics.txt, which weight_file_test reads: pip install ultralytics==8.4.190; python make_ultralytics.py

The file is a real one of that program, of a network with one small scale and random weights, in half precision, as the end of a training
writes it. The text has a line for each entry of the network's state dict: name, shape, sum of its values (none: no floating-point numbers).
"""
import pathlib

import torch
from ultralytics.nn.tasks import DetectionModel

HERE = pathlib.Path(__file__).parent
torch.manual_seed(1)
network = DetectionModel({"nc": 2, "backbone": [[-1, 1, "Conv", [8, 3, 2]], [-1, 1, "C2f", [8, True]]], "head": [[[1], 1, "Detect", ["nc"]]]},
                         verbose=False)
network.names = {0: "red", 1: "green"}
for module in network.modules():
    if isinstance(module, torch.nn.BatchNorm2d):
        for tensor in (module.weight, module.bias, module.running_mean, module.running_var):
            tensor.data = torch.rand(tensor.shape)
network.half()
torch.save({"epoch": -1, "best_fitness": None, "model": network, "ema": None, "updates": None, "optimizer": None,
            "train_args": {"task": "detect", "imgsz": 320, "lr0": 0.01}, "date": "2026-01-01T00:00:00", "version": "8.4.190"},
           HERE / "ultralytics.pt")
lines = []
for name, tensor in network.state_dict().items():
    total = f"{tensor.double().sum().item():.6f}" if tensor.is_floating_point() else "none"
    lines.append(f"{name} {','.join(str(size) for size in tensor.shape)} {total}\n")
(HERE / "ultralytics.txt").write_text("".join(lines))
