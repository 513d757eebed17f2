#!/usr/bin/env python3
"""Times training steps beside programs that keep a core each busy: alone, with one and with two of them.

usage: scripts/bench/busy.py STORE [--model yolov8n] [--batch 8] [--runs 3] [--most 2] [--spins 300000]
                             [--trainer build/release/bin/letterpress-trainer] [--json FILE]

"as it is" is the trainer's own setting of how long OpenMP's threads spin while they wait; beside it stands --spins turns, which is libgomp's
default. Each is measured in turn, so that a machine that slows down slows all of them; medians. Slower: alone / beside N, of the same column.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import environment

SPIN = "while True: pass"


class Competitors:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        self.programs = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(self.n)]

    def __exit__(self, *_):
        for program in self.programs:
            program.kill()
            program.wait()


def pictures_per_s(arguments, spins):
    words = [arguments.trainer, "fit", "--store", arguments.store, "--device", "cpu", "--dry-run", "--json"]
    words += ["--model", arguments.model, "--batch", str(arguments.batch)]
    variables = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, env=variables | ({"GOMP_SPINCOUNT": str(spins)} if spins else {}))
    if result.returncode:
        sys.exit(f"busy.py: {' '.join(map(str, words))}: exit {result.returncode}")
    return json.loads(result.stdout.splitlines()[-1])["pictures_per_s"]


def measure(arguments):
    rates = {(n, spins): [] for n in range(arguments.most + 1) for spins in (0, arguments.spins)}
    for _ in range(arguments.runs):
        for (n, spins), values in rates.items():
            with Competitors(n):
                values.append(pictures_per_s(arguments, spins))
    return {key: statistics.median(values) for key, values in rates.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("--model", default="yolov8n")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=int, default=2, help="competitors")
    parser.add_argument("--spins", type=int, default=300000)
    parser.add_argument("--trainer", type=pathlib.Path, default=environment.BIN / "letterpress-trainer")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    medians = measure(arguments)
    rows = []
    print(f"| competitors | as it is, images/s | slower | {arguments.spins} spins, images/s | slower |\n|---|---:|---:|---:|---:|")
    for n in range(arguments.most + 1):
        cells = []
        for spins in (0, arguments.spins):
            rate, alone = medians[n, spins], medians[0, spins]
            rows.append({"competitors": n, "spins": spins, "images_per_s": rate, "slower": alone / rate})
            cells += [f"{rate:.3g}", f"{alone / rate:.3g}"]
        print(f"| {n} | {' | '.join(cells)} |")
    if arguments.json:
        result = {"benchmark": "busy", "model": arguments.model, "batch": arguments.batch, "machine": environment.machine(), "rows": rows}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
