#!/usr/bin/env python3
"""The most memory that `build --tile` and `letterpress-predict --no-draw` take for one picture of 20,000 x 20,000 pixels, program and libraries included, and
what they take for one of 640 x 640.

usage: scripts/study/tiles_memory.py CHECKPOINT OUT [--side 20000] [--bin FOLDER]

CHECKPOINT: of tiles. The pictures are drawn into OUT. Each program with each kind of file is a cell of scripts/study/results/tiles-memory.json, written when it ends: what is there is
not done again. `scripts/study/page.py` makes the table of it.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

from cells import RESULTS, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402
from measure import run_program  # noqa: E402

FILE = RESULTS / "tiles-memory.json"
TILE, TIMES = 640, 4
BUILD = f"build --tile {TILE}"
ENGINES = {BUILD: "", "predict --no-draw --engine openvino": "openvino", "predict --no-draw --engine torch": "torch"}
BASELINE = "baseline JPEG"
KINDS = {BASELINE: "jpg", "PNG": "png", "TIFF in strips of 16 lines": "tif", "progressive JPEG, decoded whole": "progressive.jpg"}
CASES = [*((BUILD, kind) for kind in KINDS), *((program, BASELINE) for program in ENGINES if program != BUILD)]


def drawn(folder, side):
    """The picture of a board of samples/boards.py."""
    picture = folder / "images" / "board000.jpg"
    if not picture.exists():
        words = [environment.PEERS / "bin" / "python", ROOT / "samples" / "boards.py", folder, "--pictures", 1, "--size", f"{side}x{side}"]
        subprocess.run([str(word) for word in words], check=True)
    return picture


def repeated(flags, name, kind, side, times):
    """A board of that side, so many times in a row and as many rows, as numpy needs much memory for one that is as large."""
    picture = flags.out / f"{name}.{KINDS[kind]}"
    if not picture.with_name(f"{picture.name}.txt").exists():
        board = drawn(flags.out / f"board-{side}", side)
        words = [environment.PEERS / "bin" / "python", HERE / "tiles_sets.py", "repeated", board, picture, times]
        subprocess.run([str(word) for word in words], check=True)
    return picture


def command(flags, engine, picture):
    """engine: of predict; none: build."""
    if engine:
        words = ["--checkpoint", flags.checkpoint, "--out", flags.out / "found", "--device", "cpu", "--engine", engine, "--no-draw", "--threads", 1]
        return [flags.bin / "letterpress-predict", *words, "--input", picture, "--max-pixels", flags.side**2]
    store = flags.out / "store"
    shutil.rmtree(store, ignore_errors=True)
    labels, classes = picture.with_name(f"{picture.name}.txt"), flags.out / f"board-{TILE}" / "classes.txt"
    words = ["--store", store, "--input", labels, "--classes", classes, "--tile", TILE, "--recipe", "none", "--views", 0]
    return [flags.bin / "letterpress-preprocess", "build", *words, "--max-pixels", flags.side**2, "--threads", 1]


def peak_mib(words):
    return round(run_program(words).peak_bytes / 2**20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--side", type=int, default=20000)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    environment.install_peers()
    measured = json.loads(FILE.read_text())["cells"] if FILE.exists() else []
    for program, kind in CASES:
        if any((one["program"], one["kind"]) == (program, kind) for one in measured):
            continue
        small, big = repeated(flags, "small", kind, TILE, 1), repeated(flags, "large", kind, flags.side // TIMES, TIMES)
        peaks = {"small_mib": peak_mib(command(flags, ENGINES[program], small)), "peak_mib": peak_mib(command(flags, ENGINES[program], big))}
        measured.append({"program": program, "kind": kind} | peaks | {"machine": environment.measured_on()})
        print(json.dumps(measured[-1]), flush=True)
        write(FILE, {"side": flags.side, "small": TILE, "threads": 1}, measured)


if __name__ == "__main__":
    main()
