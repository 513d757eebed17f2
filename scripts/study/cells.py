"""What the study of stored views trains, and where its results stand."""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import json
import math
import pathlib
import re
import subprocess
import sys
import threading
import time
import traceback

LAST_LINES = 10  # of a program that failed
BUILDING, KEEPING = threading.Lock(), threading.Lock()  # held by the one training of several at once that makes a store or set, or writes results
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


class Failed(SystemExit):
    """A program failed. Ends this one, where train_all does not go on with the others."""

    def __init__(self, words, code, lines):
        super().__init__(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(words)} ended with {code}")
        self.lines = list(lines)


def pass_on(stream, lines):
    """What a program says beside its output, line by line; the last ones are kept in `lines`."""
    for line in stream:
        lines.append(line.rstrip("\n"))
        sys.stderr.write(line)
        sys.stderr.flush()


def said(words, **options):
    """The last line that a program prints. Ends this one when it fails."""
    words, lines = [str(word) for word in words], collections.deque(maxlen=LAST_LINES)
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
    with subprocess.Popen(words, **piped, **options) as program:
        passing = threading.Thread(target=pass_on, args=(program.stderr, lines))
        passing.start()
        output = program.stdout.read()
        passing.join()
    if program.returncode != 0:
        raise Failed(words, program.returncode, lines)
    return (output.strip().splitlines() or [""])[-1]


def run(words):
    """The same, an object of JSON."""
    return json.loads(said(words))


class TimeBudget:
    """The minutes that a study is given, for all its trainings; 0: as many as they take."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes if minutes else math.inf

    def is_over(self):
        return time.monotonic() >= self.end

    def flags(self):
        """For fit, which then stops in time and goes on with --resume."""
        left = (self.end - time.monotonic()) / 60
        return [] if math.isinf(left) else ["--time-budget", f"{max(left, 0.1):.2f}"]


def device(text):
    """For argparse."""
    if not re.fullmatch(r"cpu|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is none of cpu, cuda, cuda:N")
    return text


def add_machine_flags(parser):
    """Where trainings run, and how many of them."""
    parser.add_argument("--device", type=device, default="cpu", help="that trains: cpu, cuda or cuda:N")
    parser.add_argument("--at-once", type=int, default=1, choices=range(1, 65), metavar="N", help="trainings that run at the same time")


def trained(name, training):
    """Whether it did not fail; if it did, why is printed."""
    try:
        training()
    except Failed as failed:
        print(f"{name}: failed: {failed}", *failed.lines, sep="\n  ", file=sys.stderr, flush=True)
        return False
    except Exception:
        print(f"{name}: failed: {traceback.format_exc()}", file=sys.stderr, flush=True)
        return False
    return True


def train_all(trainings, at_once):
    """Runs functions by their names, in their order, so many at once. One that fails stops no other; the names of those are returned."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        ended = pool.map(trained, trainings.keys(), trainings.values())
        return [name for name, well in zip(trainings, ended) if not well]


def machines(trainings):
    """What they ran on: the CUDA device, or else the processor."""
    return ", ".join(sorted({one["machine"].get("device", one["machine"]["processor"]) for one in trainings}))


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
    """A line for each training, so that a difference shows which. Who reads meanwhile finds the file as it was."""
    file.parent.mkdir(exist_ok=True)
    lines = ",\n  ".join(json.dumps(training) for training in trainings)
    written = file.with_name(f"{file.name}.new")
    written.write_text(f'{{"protocol": {json.dumps(protocol)},\n "cells": [\n  {lines}\n ]}}\n')
    written.replace(file)


def train_in_turn(results, budget, wanted, train, save, label):
    """Trains each of `wanted`, {column: value}, that the file of results does not have yet, until the time is over. train(one) gives its cell, or none when
    the time was over before its last epoch; each is saved, and told by label(one), when it ends."""
    for one in wanted:
        done = read(results)
        if any(all(cell[column] == value for column, value in one.items()) for cell in done):
            continue
        if budget.is_over():
            return
        if cell := train(one):
            save([*done, cell])
            print(f"{label(one)}: last mAP50 {cell['map50'][-1]:.4f}, mAP50-95 {cell['map50_95'][-1]:.4f}", flush=True)


def table(header, rows, words):
    """In Markdown. words: how many columns hold them, from the left; numbers stand to the right."""
    lines = [header, ["---"] * words + ["---:"] * (len(header) - words), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def curves_of(run, columns=("map50", "map50_95", "loss")):
    """What a run of fit measured, a number for each epoch."""
    with open(run / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in columns}
