#!/usr/bin/env python3
"""Proves on real pictures that a clean row of a store is what `letterpress-predict` gives to the network, byte for byte: every shipped recipe, two sizes.

usage: scripts/proof/one_set_of_pixels.py [--data ../shared/data] [--pictures 500] [--size 256 --size 416] [--bin build/release/bin] [--json FILE]

Half of the pictures are BCCD's photographs (JPEG, 640 x 480), half DeepPCB's scans (640 x 640). A store of each set, recipe and size; a network that was trained
for one epoch on a few of its rows, for its letterbox; the pixels that predict gave to it (--frames-out) against the rows of view 0.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from disturb import finish

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "preprocess" / "recipe" / "shipped"
PROMISE = "the clean row of a picture is what `letterpress-predict` gives to the network, to the byte"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data", help="folder with bccd and deeppcb, as published")
    parser.add_argument("--pictures", type=int, default=500)
    parser.add_argument("--size", type=int, action="append", help="pixels of a frame's side; may be repeated")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the counts")
    return parser.parse_args()


class Sets:
    """Labels of a part of each set, as its own kind of file."""

    def __init__(self, data, folder, pictures):
        bccd = data / "bccd"
        names = sorted(path.stem for path in (bccd / "JPEGImages").iterdir())[:pictures // 2]
        voc = folder / "voc"
        lists = voc / "ImageSets" / "Main"
        lists.mkdir(parents=True)
        for part in ("Annotations", "JPEGImages"):
            (voc / part).symlink_to((bccd / part).resolve())
        for name, some in {"all": names, "few": names[:16]}.items():
            (lists / f"{name}.txt").write_text("".join(f"{picture}\n" for picture in some))
        pcb = data / "deeppcb"
        lines = (pcb / "train.txt").read_text().splitlines()[:pictures - pictures // 2]
        (folder / "pcb.txt").write_text("".join(f"{line}\n" for line in lines))
        self.build = {
            "bccd": ["--input", lists / "all.txt", "--root", bccd.resolve(), "--allow-outside"],
            "deeppcb": ["--input", folder / "pcb.txt", "--root", pcb.resolve(), "--classes", pcb / "classes.txt", "--allow-outside"],
        }
        self.pictures = {"bccd": (bccd / "JPEGImages").resolve(), "deeppcb": pcb.resolve()}  # what names in stores are relative to
        self.few = ["--input", lists / "few.txt", "--root", bccd.resolve(), "--allow-outside"]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def clean_rows(store):
    """{path: bytes} of view 0, and the letterbox."""
    rows, rule = {}, None
    for path in sorted((store / "shards").glob("*.h5")):
        with h5py.File(path) as shard:
            rule = json.loads(shard.attrs["recipe"])["letterbox"]
            names, ends, views = shard["name_bytes"][:].tobytes(), shard["name_offset"][:], shard["view"][:]
            for row in np.flatnonzero(views == 0):
                rows[names[ends[row]:ends[row + 1]].decode()] = shard["images"][row]
    return rows, rule


class Proof:
    def __init__(self, arguments, folder):
        self.folder, self.bin = folder, arguments.bin
        self.sets = Sets(arguments.data, folder, arguments.pictures)
        self.frames = {}  # by set, size and letterbox

    def store(self, labels, recipe, size):
        store = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "store"
        run(self.bin / "letterpress-preprocess", "build", "--store", store, *labels, "--size", size, "--recipe", recipe, "--views", 0,
            "--max-rejected-boxes", "100%")
        return store

    def network(self, recipe, size):
        store = self.store(self.sets.few, recipe, size)
        out = store.parent / "run"
        run(self.bin / "letterpress-trainer", "fit", "--store", store, "--model", "yolov3-tiny", "--out", out, "--epochs", 1, "--batch", 16, "--device", "cpu")
        return out / "last.safetensors"

    def predicted(self, name, recipe, size, rule, paths):
        """What predict gives to a network with that letterbox, by path."""
        key = (name, size, json.dumps(rule, sort_keys=True))
        if key not in self.frames:
            out, pictures = self.folder / "frames.npy", self.folder / "pictures.txt"
            pictures.write_text("".join(f"{self.sets.pictures[name] / path}\n" for path in paths))
            run(self.bin / "letterpress-predict", "--checkpoint", self.network(recipe, size), "--input", pictures, "--out", self.folder / "found",
                "--no-draw", "--device", "cpu", "--conf", "0.9", "--frames-out", out)
            frames = np.load(out)
            assert len(frames) == len(paths), (len(frames), len(paths))
            self.frames[key] = dict(zip(paths, frames))
        return self.frames[key]

    def compare(self, name, recipe, size):
        rows, rule = clean_rows(self.store(self.sets.build[name], recipe, size))
        frames = self.predicted(name, recipe, size, rule, sorted(rows))
        differing = [path for path in sorted(rows) if (rows[path] != frames[path]).any()]
        print(f"{name}, {recipe}, {size}: {len(rows) - len(differing)} of {len(rows)} clean rows are predict's input", flush=True)
        return {"cases": len(rows), "of": len(rows), "outcomes": {"same": len(rows) - len(differing)},
                "wrong": [[path, "not what predict gives to the network"] for path in differing]}


def main():
    arguments = parse()
    sizes, recipes = arguments.size or [256, 416], sorted(path.stem for path in RECIPES.glob("*.toml"))
    with tempfile.TemporaryDirectory(prefix="letterpress-pixels-") as folder:
        proof = Proof(arguments, pathlib.Path(folder))
        works = {f"{name}, {recipe}, {size}": proof.compare(name, recipe, size) for size in sizes for recipe in recipes for name in proof.sets.build}
    rows = sum(work["cases"] for work in works.values())
    sides = " and ".join(f"{size}" for size in sizes)
    sys.exit(finish(arguments, PROMISE, works, "clean rows",
                    f"{rows:,} rows: {arguments.pictures} pictures of BCCD and DeepPCB, {len(recipes)} shipped recipes, frames of {sides}"))


if __name__ == "__main__":
    main()
