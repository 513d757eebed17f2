#!/usr/bin/env python3
"""Draws the sample dataset: photograph-like pictures of coloured shapes on a textured ground, with boxes, in each label format.

usage: samples/draw.py OUT [--pictures 48] [--seed 1]

OUT/images/*.png (a few *.jpg would need a codec; PNG needs only zlib), OUT/train.txt and OUT/val.txt (keras-yolo3 lists), OUT/classes.txt,
OUT/yolo/ (data.yaml, lists, labels), OUT/voc/ (Annotations, ImageSets, JPEGImages), OUT/coco/train.json, val.json.
Standard library only, so that a machine that only preprocesses can draw it too.
"""
import argparse
import functools
import json
import math
import pathlib
import random
import struct
import zlib

CLASSES = ["disc", "square", "cross"]
COLOURS = [(200, 60, 50), (60, 90, 200), (235, 190, 60)]


def write_png(path, width, height, rows):
    """rows: `height` bytes objects of 3 * width RGB bytes. PNG specification, 8-bit truecolour, filter none."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 6)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


@functools.cache
def tones_of_grains(tone):
    return bytes(max(0, min(255, tone + g - 12)) for g in range(256))


def ground(rng, width, height):
    """A soft gradient with grain, as rows of mutable bytes."""
    base = [rng.randint(120, 200) for _ in range(3)]
    slope = [rng.uniform(-40, 40) for _ in range(3)]
    grain = bytes(rng.randint(0, 24) for _ in range(4096))
    rows = []
    for y in range(height):
        start = rng.randrange(4096)
        grains = (grain + grain)[start : start + width]
        row = bytearray(3 * width)
        for channel in range(3):
            tone = int(base[channel] + slope[channel] * y / height)
            row[channel::3] = grains.translate(tones_of_grains(tone))
        rows.append(row)
    return rows


def inside(kind, u, v):
    """Whether (u, v), both -1..1, is on the shape."""
    if kind == 0:
        return u * u + v * v <= 1
    if kind == 1:
        return True
    return abs(u) <= 0.34 or abs(v) <= 0.34


def paint(rows, kind, colour, box):
    x1, y1, x2, y2 = box
    for y in range(y1, y2):
        v = 2 * (y + 0.5 - y1) / (y2 - y1) - 1
        for x in range(x1, x2):
            u = 2 * (x + 0.5 - x1) / (x2 - x1) - 1
            if inside(kind, u, v):
                shade = 1 - 0.25 * math.hypot(u + 0.3, v + 0.3) / 1.9
                rows[y][3 * x : 3 * x + 3] = bytes(int(c * shade) for c in colour)


def overlaps(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def draw_picture(rng, path):
    width, height = rng.choice([(320, 240), (240, 320), (288, 288)])
    rows = ground(rng, width, height)
    boxes = []
    for _ in range(rng.randint(1, 5)):
        side = rng.randint(28, 90)
        w, h = side, max(20, int(side * rng.uniform(0.8, 1.25)))
        x, y = rng.randint(0, width - w), rng.randint(0, height - h)
        box = (x, y, x + w, y + h)
        if any(overlaps(box, other[:4]) for other in boxes):
            continue
        kind = rng.randrange(3)
        colour = tuple(max(0, min(255, c + rng.randint(-25, 25))) for c in COLOURS[kind])
        paint(rows, kind, colour, box)
        boxes.append((*box, kind))
    write_png(path, width, height, [bytes(row) for row in rows])
    return {"file": path.name, "width": width, "height": height, "boxes": boxes}


def write_keras(out, split, pictures):
    lines = [" ".join([f"images/{p['file']}"] + [",".join(map(str, b)) for b in p["boxes"]]) for p in pictures]
    (out / f"{split}.txt").write_text("\n".join(lines) + "\n")


def write_yolo(out, split, pictures):
    for folder in ("images", "labels"):
        (out / "yolo" / folder / split).mkdir(parents=True, exist_ok=True)
    for p in pictures:
        link(out / "images" / p["file"], out / "yolo" / "images" / split / p["file"])
        lines = []
        for x1, y1, x2, y2, kind in p["boxes"]:
            w, h = p["width"], p["height"]
            lines.append(f"{kind} {(x1 + x2) / 2 / w:.6f} {(y1 + y2) / 2 / h:.6f} {(x2 - x1) / w:.6f} {(y2 - y1) / h:.6f}")
        (out / "yolo" / "labels" / split / p["file"]).with_suffix(".txt").write_text("".join(line + "\n" for line in lines))


def write_voc(out, split, pictures):
    for folder in ("Annotations", "ImageSets/Main", "JPEGImages"):
        (out / "voc" / folder).mkdir(parents=True, exist_ok=True)
    for p in pictures:
        link(out / "images" / p["file"], out / "voc" / "JPEGImages" / p["file"])
        objects = "".join(
            f"<object><name>{CLASSES[k]}</name><difficult>0</difficult><bndbox><xmin>{x1 + 1}</xmin><ymin>{y1 + 1}</ymin>"
            f"<xmax>{x2}</xmax><ymax>{y2}</ymax></bndbox></object>\n"
            for x1, y1, x2, y2, k in p["boxes"]
        )
        (out / "voc" / "Annotations" / p["file"]).with_suffix(".xml").write_text(
            f"<annotation><filename>{p['file']}</filename><size><width>{p['width']}</width><height>{p['height']}</height>"
            f"<depth>3</depth></size>\n{objects}</annotation>\n"
        )
    stems = "".join(pathlib.Path(p["file"]).stem + "\n" for p in pictures)
    (out / "voc" / "ImageSets" / "Main" / f"{split}.txt").write_text(stems)


def write_coco(out, split, pictures):
    images, annotations = [], []
    for i, p in enumerate(pictures):
        images.append({"id": 1000 + i, "file_name": p["file"], "width": p["width"], "height": p["height"]})
        for x1, y1, x2, y2, k in p["boxes"]:
            box = [x1, y1, x2 - x1, y2 - y1]
            annotations.append({"id": len(annotations) + 1, "image_id": 1000 + i, "category_id": 10 * (k + 1), "bbox": box,
                                "area": box[2] * box[3], "iscrowd": 0})
    categories = [{"id": 10 * (k + 1), "name": name} for k, name in enumerate(CLASSES)]
    (out / "coco").mkdir(exist_ok=True)
    for p in pictures:
        link(out / "images" / p["file"], out / "coco" / p["file"])
    (out / "coco" / f"{split}.json").write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))


def link(source, target):
    target.unlink(missing_ok=True)
    target.hardlink_to(source)


def main():
    parser = argparse.ArgumentParser(description="draws the sample dataset")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pictures", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    out = arguments.out
    (out / "images").mkdir(parents=True, exist_ok=True)
    rng = random.Random(arguments.seed)
    pictures = [draw_picture(rng, out / "images" / f"{i:04d}.png") for i in range(arguments.pictures)]
    n_val = max(1, arguments.pictures // 6)
    (out / "classes.txt").write_text("\n".join(CLASSES) + "\n")
    for split, part in (("train", pictures[n_val:]), ("val", pictures[:n_val])):
        for write in (write_keras, write_yolo, write_voc, write_coco):
            write(out, split, part)
    (out / "yolo" / "data.yaml").write_text("train: images/train\nval: images/val\nnames: [" + ", ".join(CLASSES) + "]\n")
    print(f"{arguments.pictures} pictures ({n_val} of them val), {sum(len(p['boxes']) for p in pictures)} boxes in {out}")


if __name__ == "__main__":
    main()
