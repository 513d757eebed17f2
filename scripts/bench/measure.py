"""Interleaved runs, medians, tables."""
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable


@dataclasses.dataclass
class Contender:
    """One row of the table. run() gives a rate (or, with another unit, what it counts); peers add their packages' versions."""

    name: str
    what: str
    threads: int
    run: Callable[[], float]
    unit: str = "rows/s"
    values: list = dataclasses.field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.values)

    def as_json(self):
        row = {"name": self.name, "what": self.what, "threads": self.threads, "unit": self.unit}
        return row | {"median": self.median, "low": min(self.values), "high": max(self.values)}


@dataclasses.dataclass
class Target:
    """wanted: the bound that `got` is held against; at_most turns the comparison over."""

    name: str
    wanted: float
    got: float
    at_most: bool = False

    def as_json(self):
        met = self.got <= self.wanted if self.at_most else self.got >= self.wanted
        return {"name": self.name, "bound": "<=" if self.at_most else ">=", "wanted": self.wanted, "got": self.got, "met": met}


def interleave(contenders, runs):
    """Each contender once, then each again: a machine that slows down slows all of them."""
    for run in range(runs):
        for contender in contenders:
            contender.values.append(contender.run())
            print(f"bench: run {run + 1}/{runs}: {contender.name} ({contender.threads}): {contender.values[-1]:.0f}", file=sys.stderr)


@dataclasses.dataclass
class Finished:
    seconds: float
    peak_bytes: int
    output: str


def run_program(command, **options):
    """Wall time and peak memory of a program, from before its start to after its end. Its own messages are shown when it fails."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=errors, text=True, **options)
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            errors.seek(0)
            raise SystemExit(f"bench: {' '.join(map(str, command))}\nended with {child.returncode}:\n{errors.read()}{output}")
    return Finished(seconds, usage.ru_maxrss * 1024, output)


ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # per worker process


def peer_rate(command, versions, threads=ONE_THREAD):
    """The rate that a peer's program prints last; its packages' versions are added to `versions`."""
    environment = os.environ | threads
    answer = json.loads(run_program(command, env=environment).output.splitlines()[-1])
    versions.update(answer["versions"])
    return answer["items_per_s"]


def table(header, rows):
    """Left-aligned first column, the others to the right."""
    rows = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
