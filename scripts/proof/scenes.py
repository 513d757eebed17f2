#!/usr/bin/env python3
"""Measures how `lint`, and so `build --val SHARE`, finds pictures of one scene: series of cut and re-lit copies of real pictures, three of each in train
and one in val; and how often it takes pictures that have nothing in common for one scene.

usage: scripts/proof/scenes.py --work FOLDER [--data ../shared/data] [--bin build/release/bin] [--pictures 300] [--seed 1]
       scripts/proof/scenes.py --page   # only writes the table of docs/how-to/label-formats.md anew; --check: fails when it is not that

A copy shows 75 to 100 % of the width and height, at brightness 0.7 to 1.3 and contrast 0.8 to 1.25. found: pictures of val for which lint names one
of train; right: those of them for which that is of their own series. Of unlike sets each picture that it names is wrong. Needs Pillow.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import markers  # noqa: E402

RESULT = ROOT / "scripts/proof/results/scenes.json"
PAGE = ROOT / "docs/how-to/label-formats.md"
NAMED = re.compile(r"^same-scene: (\S+) .* (?:what|with) (\S+) \(")
IN_TRAIN = 3  # copies of a picture


def run(*words):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"scenes.py: {words[0]} {words[1]} ended with {result.returncode}: {result.stderr}")
    return result.stdout


def cut_and_relit(path, out, draw):
    from PIL import Image, ImageEnhance
    image = Image.open(path).convert("RGB")
    share = draw.uniform(0.75, 1)
    width, height = int(image.width * share), int(image.height * share)
    x, y = draw.randint(0, image.width - width), draw.randint(0, image.height - height)
    part = ImageEnhance.Brightness(image.crop((x, y, x + width, y + height))).enhance(draw.uniform(0.7, 1.3))
    ImageEnhance.Contrast(part).enhance(draw.uniform(0.8, 1.25)).save(out, quality=92)


def named_by_lint(programs, folder, train, val):
    """{picture of val: the picture of train that lint names}"""
    shutil.rmtree(folder / "store", ignore_errors=True)
    (folder / "classes.txt").write_text("one\n")
    for name, pictures in {"train.txt": train, "val.txt": val}.items():
        (folder / name).write_text("".join(f"{path} 1,1,9,9,0\n" for path in pictures))
    program = programs / "letterpress-preprocess"
    run(program, "build", "--store", folder / "store", "--input", folder / "train.txt", "--val", folder / "val.txt", "--classes", folder / "classes.txt",
        "--size", 320, "--views", 0, "--recipe", "none", "--allow-outside", "--duplicates", "first")
    lines = run(program, "lint", "--store", folder / "store", "--limit", len(val)).splitlines()
    matches = [match for match in map(NAMED.match, lines) if match]
    return {pathlib.Path(match[1]).stem: pathlib.Path(match[2]).stem for match in matches}


def drawn(folder, pictures, seed):
    run(sys.executable, ROOT / "samples/draw.py", folder, "--pictures", pictures, "--seed", seed)
    return sorted((folder / "images").glob("*.png"))


def measure(options):
    draw = random.Random(options.seed)
    options.work.mkdir(parents=True, exist_ok=True)
    sets = {"BCCD": sorted((options.data / "bccd/JPEGImages").glob("*.jpg")), "DeepPCB": sorted((options.data / "deeppcb/images").glob("*_test.jpg"))}
    sets = {name: sorted(draw.sample(paths, min(options.pictures, len(paths)))) for name, paths in sets.items()}
    rows = []
    for name, paths in sets.items():
        folder = options.work / name
        (folder / "copies").mkdir(parents=True, exist_ok=True)
        copies = []
        for path in paths:
            for i in range(IN_TRAIN + 1):
                copies.append(folder / "copies" / f"{path.stem}.{i}.jpg")
                cut_and_relit(path, copies[-1], draw)
        val = copies[IN_TRAIN::IN_TRAIN + 1]
        named = named_by_lint(options.bin, folder, sorted(set(copies) - set(val)), val)
        right = sum(a.rsplit(".", 1)[0] == b.rsplit(".", 1)[0] for a, b in named.items())
        rows.append({"train": f"{name}, {IN_TRAIN} copies of each", "val": "another one", "pictures": len(val), "named": len(named), "right": right})
    halves = drawn(options.work / "drawn", options.pictures, options.seed)
    unlike = {("BCCD", "DeepPCB"): (sets["BCCD"], sets["DeepPCB"]),
              ("drawn by samples/draw.py", "others drawn by it"): (halves[::2], halves[1::2])}
    for (train, val), (first, second) in unlike.items():
        folder = options.work / "unlike"
        folder.mkdir(exist_ok=True)
        rows.append({"train": train, "val": val, "pictures": len(second), "named": len(named_by_lint(options.bin, folder, first, second)), "right": None})
    for row in rows:
        print(row, flush=True)
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {"date": time.strftime("%Y-%m-%d"), "commit": commit, "seed": options.seed, "rows": rows}


def page():
    result = json.loads(RESULT.read_text())
    lines = [f"Measured with `scripts/proof/scenes.py` ({result['date']}, commit {result['commit']}, seed {result['seed']}); a copy is cut to 75 to 100 % "
             "of the sides and lit anew:", "", "| train | val | pictures of val | found | right of those found |", "|---|---|---|---|---|"]
    for row in result["rows"]:
        right = "0, by construction" if row["right"] is None else f"{row['right']} ({row['right'] / max(row['named'], 1):.1%})"
        lines.append(f"| {row['train']} | {row['val']} | {row['pictures']} | {row['named']} ({row['named'] / row['pictures']:.1%}) | {right} |")
    return markers.page_with(PAGE, "scripts/proof/scenes.py", {"scenes": "\n".join(lines)})


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(words)
    if options.check and page() != PAGE.read_text():
        raise SystemExit(f"scenes.py: the table of {PAGE.name} is not what {RESULT.name} says; run scripts/proof/scenes.py --page")
    if options.check:
        return
    if not options.page:
        if not options.work:
            raise SystemExit("scenes.py: --work FOLDER is needed, for the copies")
        RESULT.write_text(json.dumps(measure(options), indent=1) + "\n")
    PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
