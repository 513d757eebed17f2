#!/usr/bin/env python3
"""Writes schedules.json: learning rates by PyTorch's own schedulers, a rate per step. Made with torch 2.11.0.

    PYTHONPATH=.deps/torch python3 tests/golden/schedules/schedules.py > tests/golden/schedules/schedules.json
"""
import json

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


final = 0.25
shapes = {
    "constant": rates(lambda o: lr_scheduler.ConstantLR(o, factor=1)),
    "cosine": rates(lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=STEPS, eta_min=final * LR)),
    "linear": rates(lambda o: lr_scheduler.LinearLR(o, start_factor=1, end_factor=final, total_iters=STEPS)),
    # OneCycleLR's total_steps counts points, its rise ends at pct_start * total_steps - 1.
    "one-cycle": rates(lambda o: lr_scheduler.OneCycleLR(o, max_lr=LR, total_steps=STEPS + 1, pct_start=(0.3 * STEPS + 1) / (STEPS + 1),
                                                         div_factor=25, final_div_factor=1 / 25 / final)),
    "step": rates(lambda o: lr_scheduler.StepLR(o, step_size=20, gamma=0.1)),
}
print(json.dumps({"lr": LR, "steps": STEPS, "final_fraction": final, "shapes": shapes}, indent=1))
