#!/usr/bin/env python3
"""Writes optimisers.json: parameters after each of 6 steps of PyTorch's own optimisers (the plain, not fused or foreach ones) and of
torch.nn.utils.clip_grad_norm_. Made with torch 2.11.0.

    python3 tests/golden/optimisers/optimisers.py > tests/golden/optimisers/optimisers.json
"""
import json

import torch

STEPS, SCALE = 6, 0.25
SHAPES = {"weight": [3, 4], "kernel": [2, 3, 2, 2], "bias": [4]}
CASES = {
    "sgd": dict(momentum=0.9, nesterov=True, weight_decay=0.01, clip=2.0),
    "sgd without nesterov": dict(momentum=0.9, nesterov=False, weight_decay=0.01, clip=0.0),
    "sgd without momentum": dict(momentum=0.0, nesterov=False, weight_decay=0.0, clip=0.0),
    "adam": dict(beta1=0.8, beta2=0.95, eps=1e-6, weight_decay=0.02, clip=2.0),
    "adamw": dict(beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.1, clip=0.0),
}


def formula(shape, start):
    """((i * 37 + start) mod 101) / 50 - 1: the test computes the same."""
    n = int(torch.tensor(shape).prod())
    return torch.tensor([((i * 37 + start) % 101) / 50 - 1 for i in range(n)], dtype=torch.float32).view(shape)


def build(name, case, parameters):
    groups = [{"params": [p for p in parameters if p.dim() >= 2], "weight_decay": case["weight_decay"]},
              {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}]
    if name.startswith("sgd"):
        return torch.optim.SGD(groups, lr=1.0, momentum=case["momentum"], nesterov=case["nesterov"], foreach=False)
    kind = torch.optim.Adam if name == "adam" else torch.optim.AdamW
    return kind(groups, lr=1.0, betas=(case["beta1"], case["beta2"]), eps=case["eps"], foreach=False)


cases = []
for name, case in CASES.items():
    parameters = [torch.nn.Parameter(formula(shape, 11 * k)) for k, shape in enumerate(SHAPES.values())]
    optimiser = build(name, case, parameters)
    steps = []
    for step in range(STEPS):
        lr = 0.1 / (step + 1)
        for group in optimiser.param_groups:
            group["lr"] = lr
        for k, parameter in enumerate(parameters):
            parameter.grad = formula(parameter.shape, 5 * k + 17 * step) * 8 * SCALE
        norm = torch.nn.utils.clip_grad_norm_(parameters, case["clip"] or float("inf"))
        optimiser.step()
        steps.append({"lr": lr, "norm": float(norm), "values": [p.detach().flatten().tolist() for p in parameters]})
    cases.append({"name": name.split()[0], "title": name, **case, "steps": steps})
print(json.dumps({"scale": SCALE, "names": list(SHAPES), "shapes": list(SHAPES.values()), "cases": cases}))
