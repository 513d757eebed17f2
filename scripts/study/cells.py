"""What the study of stored views trains, and where its results stand."""
import dataclasses
import json
import pathlib

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
ONLINE, ULTRALYTICS = "online", "ultralytics"


@dataclasses.dataclass(frozen=True)
class Protocol:
    """What all trainings of one table share."""

    size: int  # pixels of the side
    epochs: int
    batch: int = 16
    model: str = "yolov8n"

    @property
    def name(self):
        return f"bccd-{self.size}-{self.epochs}"


@dataclasses.dataclass(frozen=True)
class Cell:
    """One training: an arm of the study, and its seed."""

    arm: str  # number of stored views, "auto", ONLINE (a view of its own for each epoch) or ULTRALYTICS; behind it flags of fit: "auto lr=0.002 warmup=3"
    seed: int

    def views(self, epochs):
        """For --views of the store."""
        views = self.arm.split()[0]
        return str(epochs) if views == ONLINE else views

    def flags(self):
        """For fit, beside those that all trainings share."""
        pairs = [flag.split("=") for flag in self.arm.split()[1:]]
        return [word for name, value in pairs for word in (f"--{name}", value)]

    @property
    def name(self):
        return f"{self.arm.replace(' ', '-')}-seed-{self.seed}"


def load(protocol):
    """Results by (arm, seed)."""
    file = RESULTS / f"{protocol.name}.json"
    cells = json.loads(file.read_text())["cells"] if file.exists() else []
    return {(cell["arm"], cell["seed"]): cell for cell in cells}


def save(protocol, results):
    RESULTS.mkdir(exist_ok=True)
    ordered = [results[key] for key in sorted(results, key=lambda key: (key[0].zfill(9), key[1]))]
    lines = ",\n  ".join(json.dumps(cell) for cell in ordered)
    header = json.dumps(dataclasses.asdict(protocol))
    (RESULTS / f"{protocol.name}.json").write_text(f'{{"protocol": {header},\n "cells": [\n  {lines}\n ]}}\n')
