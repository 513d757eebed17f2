"""What the study of stored views trains, and where its results stand."""
import csv
import dataclasses
import json
import pathlib
import subprocess
import sys

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


def said(words, **options):
    """The last line that a program prints. Ends this one when it fails."""
    finished = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, **options)
    if finished.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(map(str, words))} ended with {finished.returncode}")
    return (finished.stdout.strip().splitlines() or [""])[-1]


def run(words):
    """The same, an object of JSON."""
    return json.loads(said(words))


def read(file):
    """The trainings of a file of results; none when it is not there yet."""
    return json.loads(file.read_text())["cells"] if file.exists() else []


def load(protocol):
    """Results by (arm, seed)."""
    return {(cell["arm"], cell["seed"]): cell for cell in read(RESULTS / f"{protocol.name}.json")}


def save(protocol, results):
    ordered = [results[key] for key in sorted(results, key=lambda key: (key[0].zfill(9), key[1]))]
    write(RESULTS / f"{protocol.name}.json", dataclasses.asdict(protocol), ordered)


def write(file, protocol, trainings):
    """A line for each training, so that a difference shows which."""
    file.parent.mkdir(exist_ok=True)
    lines = ",\n  ".join(json.dumps(training) for training in trainings)
    file.write_text(f'{{"protocol": {json.dumps(protocol)},\n "cells": [\n  {lines}\n ]}}\n')


def table(header, rows, words):
    """In Markdown. words: how many columns hold them, from the left; numbers stand to the right."""
    lines = [header, ["---"] * words + ["---:"] * (len(header) - words), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def curves_of(run):
    """What a run of fit measured, a number for each epoch."""
    with open(run / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in ("map50", "map50_95", "loss")}
