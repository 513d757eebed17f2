#!/usr/bin/env python3
"""Times how pictures of one scene are found: what `build --val SHARE` takes for it beyond decoding pictures and hashing them.

usage: scripts/bench/scenes.py [--preprocess build/release/bin/letterpress-preprocess] [--pictures 10000 100000] [--json FILE] [--folder DIR]

Draws scenes of rectangles and ellipses and five photographs of each: cut to 75 to 100 % of the sides, lit anew, as JPEG. A first build looks at each
picture and keeps what it saw in the store's cache; then two builds whose looks are all there, with --group auto and with --group none, in turn, three
times: the difference of their middle times is what grouping takes. Also counts the scenes that lie in two splits. Needs Pillow.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import environment

OF_A_SCENE, RUNS = 5, 3
WIDTH, HEIGHT = 200, 150


def colour(rng):
    return tuple(rng.randrange(256) for _ in range(3))


def draw_scene(folder, scene):
    """Writes the scene's photographs; the names say which scene they show."""
    from PIL import Image, ImageDraw, ImageEnhance

    rng = random.Random(scene)
    drawn = Image.new("RGB", (WIDTH, HEIGHT), colour(rng))
    pen = ImageDraw.Draw(drawn)
    for _ in range(24):
        x, y, w, h = rng.randrange(-20, WIDTH), rng.randrange(-20, HEIGHT), rng.randrange(8, 60), rng.randrange(8, 60)
        (pen.ellipse if rng.random() < 0.4 else pen.rectangle)((x, y, x + w, y + h), fill=colour(rng))
    for at in range(OF_A_SCENE):
        width, height = (round(side * rng.uniform(0.75, 1)) for side in (WIDTH, HEIGHT))
        left, top = rng.randint(0, WIDTH - width), rng.randint(0, HEIGHT - height)
        seen = ImageEnhance.Brightness(drawn.crop((left, top, left + width, top + height))).enhance(rng.uniform(0.7, 1.3))
        seen.save(folder / f"{scene // 200:04}" / f"s{scene:06}_{at}.jpg", quality=85)


def draw(folder, scenes):
    for first in range(0, scenes, 200):
        (folder / f"{first // 200:04}").mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        list(pool.map(draw_scene, [folder] * scenes, range(scenes), chunksize=200))


def write_list(folder, pictures):
    """keras-yolo3's, in any order: a box for each picture, and the classes."""
    lines = [f"{at // OF_A_SCENE // 200:04}/s{at // OF_A_SCENE:06}_{at % OF_A_SCENE}.jpg 5,5,60,60,0\n" for at in range(pictures)]
    random.Random(pictures).shuffle(lines)
    (folder / "train.txt").write_text("".join(lines))
    (folder / "classes.txt").write_text("thing\n")


def build(flags, folder, store, *more):
    """The seconds that it takes."""
    words = [flags.preprocess, "build", "--store", store, "--input", folder / "train.txt", "--classes", folder / "classes.txt", "--size", 32, "--views", 0,
             "--recipe", "none", *more]
    begin = time.monotonic()
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if result.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit {result.returncode}\n{result.stderr[-2000:]}")
    return seconds


def splits_of(flags, store, pictures):
    """How many pictures each scene has in each split."""
    listed = subprocess.run([str(flags.preprocess), "ledger", "--store", str(store), "--json"], capture_output=True, text=True, check=True).stdout
    counts = collections.defaultdict(collections.Counter)
    for picture in json.loads(listed.splitlines()[-1])["pictures"]:
        if picture["state"] == "stored":
            counts[picture["name"].rsplit("/", 1)[-1].split("_")[0]][picture["split"]] += 1
    if (found := sum(splits.total() for splits in counts.values())) != pictures:
        sys.exit(f"scenes.py: the ledger has {found} stored pictures, must be {pictures}")
    return counts


def measure(flags, folder, pictures):
    write_list(folder, pictures)
    store = folder / "store"
    first = build(flags, folder, store, "--val", "20%")
    split = sum(len(splits) > 1 for splits in splits_of(flags, store, pictures).values())
    times = {"auto": [], "none": []}
    for at in range(RUNS):
        for group in times:
            # A plan of another split looks for scenes anew, in looks that are all in the cache; --dry-run makes no row.
            times[group].append(build(flags, folder, store, "--val", f"{21 + at}%", "--group", group, "--dry-run"))
    middle = {group: statistics.median(seconds) for group, seconds in times.items()}
    environment.remove(store)
    return {"pictures": pictures, "scenes": pictures // OF_A_SCENE, "scenes_in_two_splits": split, "first_s": first,
            "auto_s": middle["auto"], "none_s": middle["none"], "grouping_s": middle["auto"] - middle["none"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preprocess", type=pathlib.Path, default=environment.BIN / "letterpress-preprocess")
    parser.add_argument("--pictures", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--folder", type=pathlib.Path, help="where pictures and stores lie meanwhile; default: in memory, if there is room")
    parser.add_argument("--json", type=pathlib.Path)
    flags = parser.parse_args()
    in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="scenes-", dir=flags.folder or in_memory) as folder:
        folder = pathlib.Path(folder)
        draw(folder, max(flags.pictures) // OF_A_SCENE)
        rows = [measure(flags, folder, pictures) for pictures in flags.pictures]
    for row in rows:
        print(f"{row['pictures']:,} pictures of {row['scenes']:,} scenes: first build {row['first_s']:.1f} s; looks known: {row['auto_s']:.1f} s, "
              f"without groups {row['none_s']:.1f} s; {row['scenes_in_two_splits']} scenes in two splits")
    if flags.json:
        flags.json.write_text(json.dumps({"rows": rows, "machine": environment.machine()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
