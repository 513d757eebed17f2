#!/usr/bin/env python3
"""Flips each bit of each file that a snapshot publishes, one at a time, and asks `verify --deep`: it has to end with 65 or 78 (a version
that is not this program's) and name the file. Goes on where it was stopped (--state).
usage: scripts/proof/flipped_bits.py STORE [--every 1] [--bin build/ci/bin] [--state FILE] [--jobs N]
STORE is a small store, which is copied; --every N takes every Nth bit (11 meets all eight bits of neighbouring bytes)."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOUND = (65, 78)
SAVE_EVERY = 2000


def published(store):
    return sorted(path.relative_to(store) for folder in ("shards", "snapshots") for path in (store / folder).iterdir())


class Copies:
    """A copy of the store for each thread: the flips of one are not to be seen by another."""

    def __init__(self, store, folder):
        self.store, self.folder, self.own = store, pathlib.Path(folder), threading.local()

    def mine(self):
        if not hasattr(self.own, "store"):
            self.own.store = self.folder / str(threading.get_ident())
            shutil.copytree(self.store, self.own.store)
            for path in self.own.store.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)
        return self.own.store


def is_found(program, store, file, bit):
    with open(store / file, "r+b") as content:
        content.seek(bit // 8)
        byte = content.read(1)[0]
        content.seek(bit // 8)
        content.write(bytes([byte ^ 1 << bit % 8]))
    try:
        result = subprocess.run([program, "verify", "--deep", "--store", store], capture_output=True)
    finally:
        with open(store / file, "r+b") as content:
            content.seek(bit // 8)
            content.write(bytes([byte]))
    return result.returncode in FOUND and file.name.encode() in result.stderr


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/ci/bin")
    parser.add_argument("--state", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    program = options.bin / "letterpress-preprocess"
    done = {"flips": 0, "missed": [], "seconds": 0.0}
    if options.state and options.state.exists():
        done = json.loads(options.state.read_text())
    flips = [(file, bit) for file in published(options.store) for bit in range(8 * (options.store / file).stat().st_size)]
    flips = flips[:: options.every]

    def save():
        done["total"] = len(flips)
        if options.state:
            options.state.write_text(json.dumps(done))

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        copies = Copies(options.store, folder)
        for at in range(done["flips"], len(flips), SAVE_EVERY):
            begin = time.monotonic()
            part = flips[at : at + SAVE_EVERY]
            found = pool.map(lambda flip: is_found(program, copies.mine(), *flip), part)
            done["missed"] += [[str(file), bit] for (file, bit), good in zip(part, found) if not good]
            done["flips"] += len(part)
            done["seconds"] += time.monotonic() - begin
            save()
    save()
    print(json.dumps(done))
    return 1 if done["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
