#!/usr/bin/env python3
"""Proves that a clean row of a store is what `letterpress-predict` gives to the network, byte for byte: every shipped recipe, two sizes.

usage: scripts/proof/one_set_of_pixels.py [--data ../shared/data] [--pictures 500] [--size 256 --size 416] [--bin build/release/bin] [--json FILE]

Half of --pictures are BCCD's photographs (JPEG, 640 x 480), half DeepPCB's scans (640 x 640); with 0 neither is needed. Beside them, pictures are drawn and
written in each way of FORMATS by Pillow and OpenCV. A store of each set, recipe and size; a network that was trained for one epoch on a few rows, for each
letterbox; the pixels that predict gave to it (--frames-out) against the rows of view 0.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import cv2
import h5py
import numpy as np
from disturb import finish
from PIL import Image

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


def saved(mode="RGB", **how):
    """Writes a picture as Pillow does, in that mode."""
    return lambda pixels, file: Image.fromarray(pixels).convert(mode).save(file, **how)


def turned(pixels, file):
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: to be turned clockwise
    Image.fromarray(pixels).save(file, exif=exif.tobytes(), quality=92)


def deep(pixels, file):
    levels = pixels.astype(np.uint16) * 257
    levels[::2] ^= 0x5A  # lower bits that 8 do not have
    if not cv2.imwrite(str(file), levels[..., ::-1]):
        sys.exit(f"{file}: OpenCV does not write it")


FORMATS = {
    "420.jpg": saved(quality=90), "422.jpg": saved(quality=90, subsampling="4:2:2"), "444.jpg": saved(quality=90, subsampling="4:4:4"),
    "progressive.jpg": saved(quality=85, progressive=True), "grey.jpg": saved("L", quality=90), "cmyk.jpg": saved("CMYK", quality=90), "turned.jpg": turned,
    "rgb.png": saved(), "palette.png": saved("P"), "grey.png": saved("L"), "bilevel.png": saved("1"), "alpha.png": saved("RGBA"), "deep.png": deep,
    "rgb.bmp": saved(), "lossy.webp": saved(quality=80), "lossless.webp": saved(lossless=True),
    "raw.tiff": saved(), "deflate.tiff": saved(compression="tiff_adobe_deflate"), "lzw.tiff": saved(compression="tiff_lzw"), "deep.tiff": deep,
}
SIZES = [(640, 480), (97, 130), (1203, 301)]


def draw_formats(folder):
    """Writes OUT/list.txt, as keras-yolo3 has it, and its pictures: waves and noise, of each size in each format."""
    folder.mkdir()
    random, lines = np.random.default_rng(1), []
    for width, height in SIZES:
        x, y = np.meshgrid(np.arange(width), np.arange(height))
        waves = np.stack([np.sin(x / 17), np.cos(y / 23), np.sin((x + y) / 31)], axis=-1) * 90 + 128
        pixels = np.clip(waves + random.normal(0, 12, waves.shape), 0, 255).astype(np.uint8)
        for name, write in FORMATS.items():
            write(pixels, folder / f"{width}-{name}")
            lines.append(f"{width}-{name} 5,5,60,60,0\n")
    (folder / "list.txt").write_text("".join(lines))
    (folder / "few.txt").write_text("".join(lines[:16]))
    (folder / "classes.txt").write_text("wave\n")


class Sets:
    """Labels of a part of each set, as its own kind of file."""

    def __init__(self, data, folder, pictures):
        drawn = (folder / "formats").resolve()
        draw_formats(drawn)
        words = ["--classes", drawn / "classes.txt", "--format", "keras", "--depth", 16]
        self.build, self.pictures = {"formats": ["--input", drawn / "list.txt", *words]}, {"formats": drawn}  # what names in stores are relative to
        self.few = ["--input", drawn / "few.txt", *words]
        if pictures > 0:
            self.take_published(data, folder, pictures)

    def take_published(self, data, folder, pictures):
        bccd = data / "bccd"
        names = sorted(path.stem for path in (bccd / "JPEGImages").iterdir())[:pictures // 2]
        voc = folder / "voc"
        lists = voc / "ImageSets" / "Main"
        lists.mkdir(parents=True)
        for part in ("Annotations", "JPEGImages"):
            (voc / part).symlink_to((bccd / part).resolve())
        (lists / "all.txt").write_text("".join(f"{picture}\n" for picture in names))
        pcb = data / "deeppcb"
        lines = (pcb / "train.txt").read_text().splitlines()[:pictures - pictures // 2]
        (folder / "pcb.txt").write_text("".join(f"{line}\n" for line in lines))
        self.build |= {
            "bccd": ["--input", lists / "all.txt", "--root", bccd.resolve(), "--allow-outside"],
            "deeppcb": ["--input", folder / "pcb.txt", "--root", pcb.resolve(), "--classes", pcb / "classes.txt", "--allow-outside"],
        }
        self.pictures |= {"bccd": (bccd / "JPEGImages").resolve(), "deeppcb": pcb.resolve()}


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
        out = self.folder / f"{recipe}-{size}"
        if not out.exists():
            store = self.store(self.sets.few, recipe, size)
            run(self.bin / "letterpress-trainer", "fit", "--store", store, "--model", "yolov3-tiny", "--out", out, "--epochs", 1, "--batch", 16, "--device", "cpu")
        return out / "last.safetensors"

    def predicted(self, name, recipe, size, rule, paths):
        """What predict gives to a network with that letterbox, by path."""
        key = (name, size, json.dumps(rule, sort_keys=True))
        if key not in self.frames:
            out, pictures = self.folder / "frames.npy", self.folder / "pictures.txt"
            pictures.write_text("".join(f"{self.sets.pictures[name] / path}\n" for path in paths))
            run(self.bin / "letterpress-predict", "--checkpoint", self.network(recipe, size), "--input", pictures, "--out", self.folder / "found",
                "--depth", 16, "--no-draw", "--device", "cpu", "--conf", "0.9", "--frames-out", out)
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
                    f"{rows:,} rows: {arguments.pictures} pictures of BCCD and DeepPCB, {len(FORMATS)} formats drawn at {len(SIZES)} sizes, {len(recipes)} shipped "
                    f"recipes, frames of {sides}"))


if __name__ == "__main__":
    main()
