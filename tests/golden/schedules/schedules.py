#!/usr/bin/env python3
"""Writes schedules.json: learning rates by PyTorch's own schedulers, a rate per step (per epoch for the plateau). Made with torch 2.11.0.

    PYTHONPATH=.deps/torch python3 tests/golden/schedules/schedules.py > tests/golden/schedules/schedules.json
"""
import json
import math

import torch
from torch.optim import lr_scheduler

LR, STEPS = 0.8, 60


def rates(make, steps=STEPS):
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=LR)
    scheduler = make(optimiser)
    result = []
    for _ in range(steps + 1):
        result.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        if len(result) <= steps:
            scheduler.step()
    return result


def plateau(figures, **options):
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=LR)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimiser, threshold_mode="abs", eps=0, **options)
    result = []
    for figure in figures:
        scheduler.step(figure)
        result.append(optimiser.param_groups[0]["lr"])
    return dict(options, figures=figures, rates=result)


final = 0.25
shapes = {
    "constant": rates(lambda o: lr_scheduler.ConstantLR(o, factor=1)),
    "cosine": rates(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=STEPS, eta_min=final * LR)),
    "linear": rates(lambda o: lr_scheduler.LinearLR(o, start_factor=1, end_factor=final, total_iters=STEPS)),
    # OneCycleLR's total_steps counts points, its rise ends at pct_start * total_steps - 1.
    "one-cycle": rates(lambda o: lr_scheduler.OneCycleLR(o, max_lr=LR, total_steps=STEPS + 1, pct_start=(0.3 * STEPS + 1) / (STEPS + 1),
                                                         div_factor=25, final_div_factor=1 / 25 / final)),
    "polynomial": rates(lambda o: lr_scheduler.PolynomialLR(o, total_iters=STEPS, power=2.5)),  # to 0
    "step": rates(lambda o: lr_scheduler.StepLR(o, step_size=25, gamma=0.4)),
}
# Deterministic figures that rise, stall, fall back and recover.
rising = [round(0.5 + 0.3 * math.sin(i / 5) * math.exp(-i / 40), 4) for i in range(60)]
falling = [round(2 / (1 + i / 3) + (0.4 if i % 7 == 3 else 0), 4) for i in range(30)] + [0.2] * 15
plateaus = [
    plateau(rising, mode="max", factor=0.5, patience=3, threshold=0, cooldown=0, min_lr=0.01 * LR),
    plateau(rising, mode="max", factor=0.1, patience=2, threshold=0.05, cooldown=4, min_lr=0),
    plateau(falling, mode="min", factor=0.3, patience=0, threshold=0.01, cooldown=2, min_lr=0.02 * LR),
    plateau([1.0, float("nan"), 1.0, 0.5], mode="min", factor=0.5, patience=1, threshold=0, cooldown=0, min_lr=0)
    | {"figures": [1.0, None, 1.0, 0.5]},
]
print(json.dumps({"lr": LR, "steps": STEPS, "final_fraction": final, "shapes": shapes, "plateaus": plateaus}, indent=1))
