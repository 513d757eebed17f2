#!/usr/bin/env python3
"""Flips each bit of each published file of small stores (plain and compressed), one at a time, and does what `verify --deep` does; and each bit of a
plan, its terms and the records of its finished shards, which `map` and `reduce` open. They have to end with 65 or 78 (a version that is not this
program's) and name the file. (In a compressed row a bit may only change how the same pixels are written.)
usage: scripts/proof/flipped_bits.py [--every 1] [--bin build/ci/bin] [--verifier FILE] [--state FILE] [--jobs N] [--json FILE]
--every N takes every Nth bit (11 meets all eight bits of neighbouring bytes)."""
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import tempfile

import h5py
from disturb import common_arguments, finish
from works import ROOT, must_run

PROMISE = "each flipped bit of each published file of a store is found by `verify --deep`, and of a plan by `map` and `reduce`, which name the file"
PART = 4000  # bits of a process
STORES = {"plain": (), "compressed": ("--compress", "deflate"), "tiles": ("--tile", "32", "--overlap", "0", "--scale", "0.0625"), "planned": ()}


def build(folder, options):
    subprocess.run([ROOT / "samples/draw.py", folder / "set", "--pictures", "2"], check=True, stdout=subprocess.DEVNULL)
    for name, flags in STORES.items():
        size = () if name == "tiles" else ("--size", "32")
        must_run([options.bin / "letterpress-preprocess", "plan" if name == "planned" else "build", "--store", folder / name, "--input", folder / "set/train.txt", "--classes",
                  folder / "set/classes.txt", *size, "--views", "1", *flags])
        if name == "planned":
            must_run([options.bin / "letterpress-preprocess", "map", "--plan", next((folder / name / "plans").iterdir()), "--part", "0/1"])
        for path in (folder / name).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)


def published(store):
    planned = sorted((store / "plans").glob("*/*"))
    return planned or [store / "FORMAT", *sorted((store / "shards").iterdir()), *sorted((store / "snapshots").iterdir())]


def flip(options, store, file, first, end):
    """[[bit, outcome]] of a part of the bits of one file; a copy of the store is this thread's own."""
    with tempfile.TemporaryDirectory(dir=store.parent) as folder:
        copy = pathlib.Path(folder) / "store"
        shutil.copytree(store, copy)
        outcomes = []
        while first < end:
            words = [options.verifier, copy, copy / file.relative_to(store), first, end, options.every]
            result = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace")
            outcomes += [[int(line.split(" ", 1)[0]), line.split(" ", 1)[1]] for line in result.stdout.splitlines()]
            first = outcomes[-1][0] + options.every if outcomes else first
            if result.returncode == 0:
                break
            outcomes.append([first, f"died: {result.returncode}"])  # of the bit after the last that it has told of
            first += options.every
            shutil.copyfile(file, copy / file.relative_to(store))
        return outcomes


def kind_of(file):
    if file.parent.parent.name == "plans":
        return {"plan.h5": "plan", "terms.json": "terms"}.get(file.name, "record")
    return {"FORMAT": "FORMAT", ".json": "snapshot", ".h5": "shard"}.get("" if ".ledger" in file.name else file.suffix or file.name, "ledger")


def is_in_compressed_row(file, bit):
    if kind_of(file) != "shard":
        return False
    with h5py.File(file, "r") as shard:
        images = shard["images"].id
        if shard["images"].chunks is None:
            return False
        rows = [images.get_chunk_info(row) for row in range(images.get_num_chunks())]
    return any(row.byte_offset <= bit // 8 < row.byte_offset + row.size for row in rows)


def settle(store, done):
    """The same pixels can be compressed in several ways: where the row's checksum, which is that of its pixels, still holds, nothing is lost."""
    files = {file.name: file for file in published(store)}
    left = []
    for (name, bit), outcome in done["wrong"]:
        if outcome == "not found" and is_in_compressed_row(files[name], bit):
            done["outcomes"]["shard: not found"] -= 1
            done["outcomes"]["the same pixels"] = done["outcomes"].get("the same pixels", 0) + 1
        else:
            left.append([[name, bit], outcome])
    done["wrong"] = left


def check(store, options, done, pool):
    parts = []
    for file in published(store):
        bits = 8 * file.stat().st_size
        parts += [(file, at, min(at + PART * options.every, bits)) for at in range(0, bits, PART * options.every)]
    done["of"] = sum(len(range(first, end, options.every)) for _, first, end in parts)
    left = parts[done["parts"] :]
    for (file, *_), outcomes in zip(left, pool.map(lambda part: flip(options, store, *part), left)):
        for bit, outcome in outcomes:
            name = f"{kind_of(file)}: {outcome.split(':')[0]}"
            done["outcomes"][name] = done["outcomes"].get(name, 0) + 1
            if outcome != "found":
                done["wrong"].append([[file.name, bit], outcome])
                print(f"{file.name}, bit {bit}: {outcome}", flush=True)
        done["cases"], done["parts"] = done["cases"] + len(outcomes), done["parts"] + 1
        yield


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verifier", type=pathlib.Path, default=ROOT / "build/ci/tests/verify_each_flip")
    options = parser.parse_args()
    works = json.loads(options.state.read_text()) if options.state and options.state.exists() else {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        build(pathlib.Path(folder), options)
        for name in STORES:
            done = works.setdefault(name, {"outcomes": {}, "wrong": [], "cases": 0, "parts": 0})
            for _ in check(pathlib.Path(folder) / name, options, done, pool):
                if options.state:
                    options.state.write_text(json.dumps(works))
            settle(pathlib.Path(folder) / name, done)
    same = sum(work["outcomes"].get("the same pixels", 0) for work in works.values())
    bits = sum(work["cases"] for work in works.values())
    return finish(options, PROMISE, works, "flipped bits", f"{bits:,} of {sum(work['of'] for work in works.values()) * options.every:,} bits; {', '.join(works)}; {same} of them left the pixels as they were")


if __name__ == "__main__":
    raise SystemExit(main())
