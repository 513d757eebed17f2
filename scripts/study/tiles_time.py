#!/usr/bin/env python3
"""How long `letterpress-predict --no-draw` takes for one big picture, beside as many pictures of one tile each: what cutting and merging cost.

usage: scripts/study/tiles_time.py CHECKPOINT OUT [--size 6000x4000] [--runs 3] [--bin FOLDER]

CHECKPOINT: of tiles of 640 at scale 1. A board of samples/boards.py and its parts, all JPEGs, are written to OUT. Files to boxes, the model loaded before, medians
of interleaved runs, two threads. An engine is a cell of scripts/study/results/tiles-time.json; `scripts/study/page.py` puts them on the page.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from cells import RESULTS, write

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import environment  # noqa: E402
from measure import run_program  # noqa: E402

FILE = RESULTS / "tiles-time.json"
TILE, MOST = 640, 1.2
ENGINES = ("openvino", "torch")
# As many parts as there are tiles, evenly spread: crops of the same pixels, saved as the board is.
CUT = """import pathlib, shutil, sys
from PIL import Image
Image.MAX_IMAGE_PIXELS = None
board, parts, tiles, side = Image.open(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
unfinished = parts.with_name(parts.name + ".unfinished")
shutil.rmtree(unfinished, ignore_errors=True)
unfinished.mkdir()
columns = min(range(1, tiles + 1), key=lambda n: (tiles % n, abs(n / (tiles // n) - board.width / board.height)))
rows = tiles // columns
for i in range(tiles):
    x, y = ((i % columns) * (board.width - side) // max(1, columns - 1)), ((i // columns) * (board.height - side) // max(1, rows - 1))
    board.crop((x, y, x + side, y + side)).save(unfinished / f"{i:04}.jpg", quality=92)
unfinished.rename(parts)
"""


def found(flags, engine, pictures):
    words = ["--checkpoint", flags.checkpoint, "--input", pictures, "--out", flags.out / "found", "--device", "cpu", "--engine", engine, "--no-draw",
             "--threads", 2, "--json"]
    said = json.loads(run_program([flags.bin / "letterpress-predict", *words]).output.splitlines()[-1])
    return said["tiles"], said["seconds"] - said["load_seconds"]


def drawn(flags):
    """A board, and the folder of its parts."""
    python, board, parts = environment.PEERS / "bin" / "python", flags.out / f"board-{flags.size}" / "images" / "board000.jpg", flags.out / f"parts-{flags.size}"
    if not board.exists():
        subprocess.run([str(word) for word in (python, ROOT / "samples/boards.py", board.parents[1], "--pictures", 1, "--size", flags.size)], check=True)
    if not parts.exists():
        tiles = found(flags, ENGINES[0], board)[0]
        subprocess.run([str(word) for word in (python, "-c", CUT, board, parts, tiles, TILE)], check=True)
    return board, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--size", default="6000x4000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bin", type=pathlib.Path, default=environment.BIN)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    environment.install_peers()
    board, parts = drawn(flags)
    cells = []
    for engine in ENGINES:
        whole, apart, counts = [], [], set()
        for _ in range(flags.runs):
            for pictures, seconds in ((board, whole), (parts, apart)):
                tiles, took = found(flags, engine, pictures)
                counts.add(tiles)
                seconds.append(took)
        if len(counts) != 1:
            sys.exit(f"tiles_time.py: the board has another number of tiles than its parts: {sorted(counts)}; empty {flags.out}")
        cells.append({"engine": engine, "tiles": tiles, "whole_s": statistics.median(whole), "parts_s": statistics.median(apart),
                      "machine": environment.measured_on()})
        print(json.dumps(cells[-1]), flush=True)
    write(FILE, {"size": flags.size, "tile": TILE, "runs": flags.runs, "most": MOST}, cells)


if __name__ == "__main__":
    main()
