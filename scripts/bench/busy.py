#!/usr/bin/env python3
"""Times training steps beside programs that keep a core each busy: alone, with one and with two of them.

usage: scripts/bench/busy.py STORE [--model yolov8n] [--batch 8] [--runs 3] [--most 2] [--spins 300000] [--settings own,spins,bound]
                             [--trainer build/release/bin/letterpress-trainer] [--json FILE]

own: as it is: OpenMP's threads spin long while the cores are free and shortly while other programs want them, and the system moves them between cores.
spins: --spins turns, which is libgomp's default. bound: as own, but of the threads that compute most each is bound to one of the cores that the
affinity mask grants, from outside (GOMP_CPU_AFFINITY binds the first thread before the program counts its cores: it would then use one).
Each is measured in turn, so that a machine that slows down slows all of them; medians. Slower: alone / beside N,
of the same column. `--settings own,bound --runs 1` takes a few minutes; a setting left out is "not measured" on the page.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

import busy_page
import environment

SPIN = "while True: pass"
SETTINGS = ("own", "spins", "bound")
VARIABLES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "GOMP_CPU_AFFINITY", "OMP_PROC_BIND", "OMP_PLACES")
BIND_EVERY_S = 0.5
BUSY_S = 0.3


class Competitors:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        self.programs = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(self.n)]

    def __exit__(self, *_):
        for program in self.programs:
            program.kill()
            program.wait()


def cores():
    """Numbers of those that this process may use."""
    return sorted(os.sched_getaffinity(0))


def seconds_of_threads(process):
    """Of computing, by thread, the most first."""
    used = {}
    for folder in pathlib.Path(f"/proc/{process}/task").iterdir():
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return dict(sorted(used.items(), key=lambda one: -one[1]))


def bind(process, to):
    """Each of the threads that compute most to a core of its own in `to`, once there are as many: before that the program counts its cores."""
    threads = seconds_of_threads(process)
    busiest = [thread for thread, seconds in threads.items() if seconds >= BUSY_S][:len(to)]
    if len(busiest) < len(to):
        return False
    for thread in threads:
        os.sched_setaffinity(thread, {to[busiest.index(thread)]} if thread in busiest else to)
    return True


def output_of(words, variables, bound):
    is_bound = False
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=variables)
    while True:
        try:
            out = program.communicate(timeout=BIND_EVERY_S if bound else None)[0]
            break
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):  # it, or a thread of it, has just ended
                is_bound = bind(program.pid, cores()) or is_bound
    if program.returncode:
        sys.exit(f"busy.py: {' '.join(map(str, words))}: exit {program.returncode}")
    if bound and not is_bound:
        sys.exit(f"busy.py: no thread was bound: fewer than {len(cores())} computed for {BUSY_S} s, or it is not permitted; leave 'bound' out of --settings")
    return out


def pictures_per_s(arguments, setting):
    words = [arguments.trainer, "fit", "--store", arguments.store, "--device", "cpu", "--dry-run", "--json"]
    words += ["--model", arguments.model, "--batch", str(arguments.batch)]
    if setting == "bound":
        words += ["--threads", str(len(cores()))]
    variables = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    if setting == "spins":
        variables["GOMP_SPINCOUNT"] = str(arguments.spins)
    return json.loads(output_of(words, variables, setting == "bound").splitlines()[-1])["pictures_per_s"]


def measure(arguments):
    rates = {(n, setting): [] for n in range(arguments.most + 1) for setting in arguments.settings}
    for _ in range(arguments.runs):
        for (n, setting), values in rates.items():
            with Competitors(n):
                values.append(pictures_per_s(arguments, setting))
    return {key: statistics.median(values) for key, values in rates.items()}


def side_of(store):
    """Of the rows, pixels: the newest snapshot says it."""
    newest = max((store / "snapshots").glob("*.json"), default=None)
    if newest is None:
        sys.exit(f"busy.py: {store} has no snapshot; letterpress-preprocess build makes one")
    return json.loads(newest.read_text())["snapshot"]["identity"]["side"]


def settings_from(text):
    settings = text.split(",")
    if not set(settings) <= set(SETTINGS):
        raise argparse.ArgumentTypeError(f"is '{text}', must be one or more of {', '.join(SETTINGS)}, with commas between")
    return settings


def rows_of(medians, arguments):
    rows = []
    for (n, setting), rate in medians.items():
        spins = arguments.spins if setting == "spins" else 0
        rows.append({"competitors": n, "spins": spins, "bound": setting == "bound", "images_per_s": rate, "slower": medians[0, setting] / rate})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("--model", default="yolov8n")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=int, default=2, help="competitors")
    parser.add_argument("--spins", type=int, default=300000)
    parser.add_argument("--settings", type=settings_from, default=list(SETTINGS), metavar="own,spins,bound")
    parser.add_argument("--trainer", type=pathlib.Path, default=environment.BIN / "letterpress-trainer")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    side = side_of(arguments.store)
    rows = rows_of(measure(arguments), arguments)
    print(busy_page.table(rows))
    if arguments.json:
        result = {"benchmark": "busy", "model": arguments.model, "size": side, "batch": arguments.batch, "machine": environment.machine(), "rows": rows}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
