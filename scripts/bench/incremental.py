#!/usr/bin/env python3
"""Times what a cron job sees: a full build, builds in which nothing has changed, and one after 1 % more pictures.

usage: scripts/bench/incremental.py [--preprocess build/release/bin/letterpress-preprocess] [--pictures 100000] [--size 32] [--side 32]
                                    [--recipe none] [--formats coco,voc] [--photographs 20000] [--json FILE] [--folder DIR]

Generates --pictures different PNGs of --side x --side pixels with one or two boxes each, described by one COCO file and by VOC XMLs, builds
a store of each at --size, then builds again. Files are in the page cache; a no-op is the median of five builds, and 1 % more that of
five builds of which each finds as many more pictures as are 1 % of the first.
Prints a table of seconds and ratios; the numbers are of this machine and this run. What does not depend on the number of new pictures (label
files, one stat per picture) is a larger part of a full build the smaller the pictures are, so that what 1 % more costs is measured with
--photographs pictures of 640 x 480 too, as JPEG (1,400 different ones, and files that differ from them behind their end), in a keras-yolo3
list, to rows of 416 by the recipe keras-yolo3; they are drawn by the peers' Python, which is installed into .deps/bench. 20,000 of
them and their five rows each take 56 GB of disk. 0: none of these, and then the standard library is all that is needed.
"""
import argparse
import json
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import environment

CLASSES = ["disc", "square", "cross"]
RUNS = 5  # of which the median counts
DISTINCT = 1400  # photographs; the others are files of the same pixels


def png(rng, side):
    """8-bit truecolour, filter none; a picture of noise in few colours, so that every one has other bytes."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + rng.randbytes(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def boxes_of(i, side):
    """[(class, x, y, width, height)] of picture i."""
    third = side // 3
    return [(i % 3, 1 + i % third, 1 + (i // 7) % third, third, third + i % 5)] + ([(1, 0, 0, third, third)] if i % 2 else [])


def write_coco(file, n, side):
    images = [{"id": i + 1, "file_name": f"JPEGImages/{i:06}.png", "width": side, "height": side} for i in range(n)]
    annotations = []
    for i in range(n):
        for name, x, y, w, h in boxes_of(i, side):
            annotations.append({"id": len(annotations) + 1, "image_id": i + 1, "category_id": name + 1, "bbox": [x, y, w, h],
                                "area": w * h, "iscrowd": 0})
    categories = [{"id": i + 1, "name": name} for i, name in enumerate(CLASSES)]
    file.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))


def write_voc(folder, first, n, side):
    for i in range(first, n):
        objects = "".join(
            f"<object><name>{CLASSES[name]}</name><difficult>0</difficult><bndbox><xmin>{x + 1}</xmin><ymin>{y + 1}</ymin>"
            f"<xmax>{x + w}</xmax><ymax>{y + h}</ymax></bndbox></object>" for name, x, y, w, h in boxes_of(i, side))
        (folder / "Annotations" / f"{i:06}.xml").write_text(
            f"<annotation><filename>{i:06}.png</filename><size><width>{side}</width><height>{side}</height><depth>3</depth></size>"
            f"{objects}</annotation>")
    (folder / "ImageSets/Main/train.txt").write_text("".join(f"{i:06}\n" for i in range(n)))


def write_pictures(folder, n, side):
    rng = random.Random(1)
    for i in range(n):
        (folder / "JPEGImages" / f"{i:06}.png").write_bytes(png(rng, side))


def build(arguments, labels, store, classes=None):
    """Seconds of wall clock, and the report."""
    command = [arguments.preprocess, "build", "--store", str(store), "--input", str(labels), "--size", str(arguments.size), "--recipe",
               arguments.recipe, "--views", "0" if arguments.recipe == "none" else "4", "--json", *(["--classes", str(classes)] if classes else [])]
    begin = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begin
    if result.returncode:
        sys.exit(f"{' '.join(command)}: exit {result.returncode}\n{result.stderr}")
    return seconds, json.loads(result.stdout.splitlines()[-1])


def state_of(store):
    """What a build that changes nothing must leave alone: name, size and times of everything but cache/."""
    paths = [path for path in sorted(store.rglob("*")) if "cache" not in path.relative_to(store).parts]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in paths]


def measure(arguments, folder, name):
    counts, side = growing(arguments.pictures), arguments.side
    labels = folder / "train.json" if name == "coco" else folder / "ImageSets/Main/train.txt"
    store = folder / f"store-{name}"
    write_pictures(folder, counts[-1], side)

    def label(first, n):
        write_coco(labels, n, side) if name == "coco" else write_voc(folder, first, n, side)

    return time_builds(label, lambda: build(arguments, labels, store), store, counts)


def growing(n):
    """How many pictures a set of n has at first, and when each of RUNS builds has found 1 % more."""
    return [n + i * max(1, n // 100) for i in range(RUNS + 1)]


def time_builds(label, build_once, store, counts):
    """Seconds of a full build, of a no-op one and of one with 1 % more pictures. label(first, n): makes the set's pictures n, which
    were `first`."""
    label(0, counts[0])
    time.sleep(2.5)  # younger files are not trusted by their time
    full, report = build_once()
    assert report["accounting"]["pictures_stored"] == counts[0], report
    build_once()
    before = state_of(store)
    nothing = statistics.median(build_once()[0] for _ in range(RUNS))
    assert state_of(store) == before, "a no-op build has written to the store"
    ones = []
    for first, n in zip(counts, counts[1:]):
        label(first, n)
        seconds, report = build_once()
        assert report["pictures_new"] == n - first, report
        ones.append(seconds)
    return full, nothing, statistics.median(ones)


def measure_photographs(arguments, folder):
    """The same of pictures as cameras take them."""
    counts = growing(arguments.photographs)
    draw = [environment.PEERS / "bin" / "python", environment.ROOT / "scripts/bench/photographs.py", folder / "photographs", counts[-1]]
    draw += ["--distinct", min(DISTINCT, counts[-1])]
    subprocess.run([str(word) for word in draw], check=True)
    labels, store = folder / "photographs" / "list.txt", folder / "store-photographs"
    lines = (folder / "photographs" / "train.txt").read_text().splitlines(keepends=True)
    like = argparse.Namespace(preprocess=arguments.preprocess, size=416, recipe="keras-yolo3")

    def label(_, n):
        labels.write_text("".join(lines[:n]))

    return time_builds(label, lambda: build(like, labels, store, folder / "photographs" / "classes.txt"), store, counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preprocess", default="build/release/bin/letterpress-preprocess")
    parser.add_argument("--pictures", type=int, default=100_000, help="small ones, for the cost of a no-op build; 0: none")
    parser.add_argument("--size", type=int, default=32, help="of the store's frames")
    parser.add_argument("--side", type=int, default=32, help="of the pictures")
    parser.add_argument("--recipe", default="none")
    parser.add_argument("--formats", default="coco,voc")
    parser.add_argument("--folder", help="where to work; its content is removed at the end (default: a temporary folder)")
    parser.add_argument("--photographs", type=int, default=20000, help="of 640 x 480, for the cost of 1 %%; 0: none")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the numbers as JSON")
    arguments = parser.parse_args()
    if arguments.photographs:
        environment.install_peers()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="letterpress-bench-", dir=arguments.folder))
    rows = []

    def show(labels, pictures, what, seconds):
        full, nothing, one = seconds
        rows.append({"labels": labels, "pictures": pictures, "what": what, "full_s": full, "nothing_s": nothing, "one_percent_s": one})
        print(f"| {labels} | {pictures:,} | {what} | {full:.2f} | {nothing:.2f} | {one:.2f} | {100 * one / full:.2f} % |", flush=True)

    print("| labels | pictures | of | full build, s | nothing new, s | 1 % more, s | 1 % more / full |\n|---|---|---|---|---|---|---|")
    try:
        what = f"{arguments.side} x {arguments.side} to {arguments.size}, recipe {arguments.recipe}"
        for name in arguments.formats.split(",") if arguments.pictures else []:
            for part in ("JPEGImages", "Annotations", "ImageSets/Main"):
                (folder / part).mkdir(parents=True, exist_ok=True)
            show(name, arguments.pictures, what, measure(arguments, folder, name))
        if arguments.photographs:
            show("keras-yolo3 list", arguments.photographs, "640 x 480 to 416, recipe keras-yolo3", measure_photographs(arguments, folder))
    finally:
        shutil.rmtree(folder)
    if arguments.json:
        result = {"benchmark": "incremental", "machine": environment.machine(), "rows": rows}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
