#!/usr/bin/env python3
"""Pictures of the study of tiles: mosaics of DeepPCB, crops around each labelled object, and one picture many times over.

usage: tiles_sets.py mosaics DEEPPCB OUT TRAIN TEST    # so many mosaics of each list: OUT/train.txt, val.txt, classes.txt, images
       tiles_sets.py crops LIST OUT SIDE FAR           # OUT/*.png and OUT/crops.json: [{"crop", "picture", "x", "y", "label"}, ...]; FAR: pixels
       tiles_sets.py repeated PICTURE OUT TIMES        # a picture with so many of it in a row, and as many rows; OUT.txt beside it
                                                       # OUT: *.jpg, *.png, *.tif (strips of 16 lines) or *.progressive.jpg
Lists are keras-yolo3's: a picture, then x1,y1,x2,y2,class for each of its boxes.
"""
import json
import pathlib
import random
import shutil
import sys

from PIL import Image

Image.MAX_IMAGE_PIXELS = None
ROWS_PER_STRIP = 278  # the number of TIFF's tag
PICTURE, ACROSS = 640, 4  # pixels of a side of DeepPCB's pictures, and how many of them a mosaic has in a row


def pictures_of(lists):
    """[(file, [[x1, y1, x2, y2, class], ...]), ...]"""
    lines = [line.split() for line in lists.read_text().splitlines()]
    return [(lists.parent / words[0], [[int(number) for number in word.split(",")] for word in words[1:]]) for words in lines]


def mosaic(pictures, file):
    """Draws it into `file`; its boxes."""
    pixels = Image.new("L", (ACROSS * PICTURE, ACROSS * PICTURE))
    boxes = []
    for place, (picture, labels) in enumerate(pictures):
        x, y = place % ACROSS * PICTURE, place // ACROSS * PICTURE
        with Image.open(picture) as opened:
            pixels.paste(opened.convert("L"), (x, y))
        boxes += [[x1 + x, y1 + y, x2 + x, y2 + y, kind] for x1, y1, x2, y2, kind in labels]
    pixels.save(file, compress_level=1)
    return boxes


def mosaics(deeppcb, out, counts):
    (out / "images").mkdir(parents=True, exist_ok=True)
    shutil.copy(deeppcb / "classes.txt", out / "classes.txt")
    for (source, target), count in zip((("train", "train"), ("test", "val")), counts):
        pictures, lines, each = pictures_of(deeppcb / f"{source}.txt"), [], ACROSS * ACROSS
        if count * each > len(pictures):
            sys.exit(f"tiles_sets.py: {count} mosaics of {each} pictures, {source}.txt has {len(pictures)}")
        for i in range(count):
            name = f"images/{target}{i:03d}.png"
            boxes = mosaic(pictures[i::len(pictures) // each][:each], out / name)
            lines.append(" ".join([name] + [",".join(map(str, box)) for box in boxes]) + "\n")
        (out / f"{target}.txt").write_text("".join(lines))


def crops(lists, out, side, far):
    """One around each object that fits into it, its middle up to `far` pixels away, moved into the picture where it would reach beyond."""
    out.mkdir(parents=True, exist_ok=True)
    made, drawn = [], random.Random(1)
    for picture, labels in pictures_of(lists):
        with Image.open(picture) as opened:
            pixels = opened.convert("RGB")
        for number, (x1, y1, x2, y2, _) in enumerate(labels):
            if max(x2 - x1, y2 - y1) > side:
                continue
            x = min(max((x1 + x2 - side) // 2 + drawn.randint(-far, far), 0), pixels.width - side)
            y = min(max((y1 + y2 - side) // 2 + drawn.randint(-far, far), 0), pixels.height - side)
            name = f"{picture.stem}-{number}.png"
            pixels.crop((x, y, x + side, y + side)).save(out / name, compress_level=1)
            made.append({"crop": name, "picture": picture.name, "x": x, "y": y, "label": number})
    (out / "crops.json").write_text(json.dumps(made))


def repeated(picture, out, times):
    how = {".jpg": {"quality": 92, "progressive": ".progressive" in out.suffixes}, ".png": {"compress_level": 1},
           ".tif": {"compression": "tiff_adobe_deflate", "tiffinfo": {ROWS_PER_STRIP: 16}}}
    with Image.open(picture) as part:
        whole = Image.new("RGB", (times * part.width, times * part.height))
        for place in range(times * times):
            whole.paste(part, (place % times * part.width, place // times * part.height))
    whole.save(out, **how[out.suffix])
    out.with_name(f"{out.name}.txt").write_text(f"{out.name} 0,0,100,100,0\n")


def main():
    kind, source, out, *numbers = sys.argv[1:]
    source, out, counts = pathlib.Path(source), pathlib.Path(out), [int(number) for number in numbers]
    if kind == "mosaics":
        mosaics(source, out, counts)
    else:
        {"crops": crops, "repeated": repeated}[kind](source, out, *counts)


if __name__ == "__main__":
    main()
