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
    """One row of the table. run() gives a rate (or, with another unit, what it counts); peers add their packages' versions.

    peer: another project's program. It may fail in any run without ending the benchmark; then its reason is listed in place of a row.
    """

    name: str
    what: str
    threads: int
    run: Callable[[], float]
    unit: str = "rows/s"
    peer: bool = False
    values: list = dataclasses.field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.values)

    def as_json(self):
        row = {"name": self.name, "what": self.what, "threads": self.threads, "unit": self.unit}
        return row | {"median": self.median, "low": min(self.values), "high": max(self.values)}


@dataclasses.dataclass
class Target:
    """wanted: the bound for `got`; at_most: it must not be larger. got None: not measured, with the reason; not met."""

    name: str
    wanted: float
    got: float | None
    at_most: bool = False
    reason: str = ""

    def as_json(self):
        measured = self.got is not None
        met = measured and (self.got <= self.wanted if self.at_most else self.got >= self.wanted)
        target = {"name": self.name, "bound": "<=" if self.at_most else ">=", "wanted": self.wanted, "got": self.got, "met": met}
        return target if measured else target | {"reason": self.reason}


class Medians:
    """Values by key, and why some are missing. A target that needs a missing value says so instead of vanishing."""

    def __init__(self, values, missing):
        self.values, self.missing = values, missing

    def target(self, name, wanted, keys, compare, at_most=False):
        """compare(values of `keys`) must be `wanted` or better."""
        for key in keys:
            if key not in self.values:
                return Target(name, wanted, None, at_most, reason_of(key, self.missing))
        return Target(name, wanted, compare(*(self.values[key] for key in keys)), at_most)


def reason_of(key, missing):
    """missing[key], or the reason of what `key` is a part of: ("FFCV", 2) or "FFCV: bytes" of "FFCV"."""
    name = key[0] if isinstance(key, tuple) else key
    return next((f"{known}: {reason}" for known, reason in missing.items() if name == known or name.startswith(f"{known}:")), f"no {name}")


def target_rows(targets):
    """Cells of a table of targets, as_json() each: name, bound, value, verdict."""
    for one in targets:
        got = "-" if one["got"] is None else f"{one['got']:.3f}"
        verdict = "met" if one["met"] else "missed" if one["got"] is not None else f"missed: not measured ({one['reason']})"
        yield [one["name"], f"{one['bound']} {one['wanted']:.3g}", got, verdict]


PEER_FAILURES = (SystemExit, ValueError, KeyError, IndexError, OSError)  # of its program, or of what it printed


def last_line(failure):
    return (str(failure).strip().splitlines() or [type(failure).__name__])[-1].strip()


def interleave(contenders, runs, missing):
    """Each contender once, then each again: a machine that slows down slows all of them. Those that are there at the end; a peer that failed
    is in `missing` instead, with what it said last."""
    there = list(contenders)
    for run in range(runs):
        for contender in list(there):
            try:
                contender.values.append(contender.run())
            except PEER_FAILURES as failure:
                if not contender.peer:
                    raise
                there.remove(contender)
                missing[contender.name] = f"run {run + 1}: {last_line(failure)}"
                print(f"bench: {contender.name} is left out: {missing[contender.name]}", file=sys.stderr)
                continue
            print(f"bench: run {run + 1}/{runs}: {contender.name} ({contender.threads}): {contender.values[-1]:.0f}", file=sys.stderr)
    return there


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


def machine_text(machine):
    """For a table's head. Figures of a run from which the host has taken much time are worth little."""
    text = f"{machine['processor']}, {machine['cores']} cores"
    stolen = machine.get("stolen", 0)  # older results do not say
    return text + (f" (of whose time the host took {100 * stolen:.0f} % for others)" if stolen >= 0.01 else "")
