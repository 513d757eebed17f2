#!/usr/bin/env python3
"""Draws big inspection pictures: boards with conducting tracks, and small marks that a detector must find.

usage: samples/boards.py OUT [--pictures 12] [--size 6000x4000] [--marks 20-200] [--large 2] [--format jpg] [--seed 1]
needs: pip install numpy pillow

OUT/images/*.jpg, OUT/train.txt and OUT/val.txt (keras-yolo3 lists), OUT/classes.txt. Marks have sides of 6 to 40 pixels, those
of --large 600. The same arguments give the same pixels; JPEG files depend on Pillow's libjpeg too.
"""
import argparse
import pathlib
import sys

try:
    import numpy as np
    from PIL import Image
except ModuleNotFoundError as missing:
    sys.exit(f"boards.py: has no {missing.name}; pip install numpy pillow")

CLASSES = ["pit", "scratch", "stain"]
SMALLEST, LARGEST, HUGE = 6, 40, 600
BOARD, TRACK = np.array([34, 92, 58]), np.array([58, 128, 84])


def board(rng, width, height):
    """uint8 [height, width, 3]: tracks on a ground with grain and a soft light from one side."""
    light = 1 + 0.15 * np.linspace(-1, 1, width)[None, :, None] * rng.uniform(-1, 1)
    track = np.zeros((height, width), bool)
    for _ in range(width * height // 120_000 + 4):
        thickness = int(rng.integers(8, 24))
        x, y = int(rng.integers(0, width)), int(rng.integers(0, height))
        track[y : y + thickness, x : x + int(rng.integers(200, 1200))] = True
        track[y : y + int(rng.integers(200, 1200)), x : x + thickness] = True
    grain = rng.integers(-10, 11, (height, width, 1))
    pixels = np.where(track[..., None], TRACK, BOARD) * light + grain
    return np.clip(pixels, 0, 255).astype(np.uint8)


def cover(kind, width, height):
    """float [height, width] 0..1: how much of each pixel a mark covers. Each touches all four edges of its box."""
    v = ((np.arange(height) + 0.5) / height * 2 - 1)[:, None]
    u = ((np.arange(width) + 0.5) / width * 2 - 1)[None, :]
    if kind == 0:
        return (u * u + v * v <= 1).astype(float)
    if kind == 1:
        return (np.abs(u - v) <= 2.5 / min(width, height) + 0.1).astype(float)
    return np.clip(1.2 - u * u - v * v, 0, 1)


def paint(pixels, kind, box):
    x1, y1, x2, y2 = box
    colour = np.array([(24, 22, 20), (226, 226, 214), (150, 110, 50)][kind])
    share = cover(kind, x2 - x1, y2 - y1)[..., None] * (0.75 if kind == 2 else 1)
    part = pixels[y1:y2, x1:x2]
    part[...] = (part * (1 - share) + colour * share).astype(np.uint8)


def overlaps(box, others):
    return any(box[0] < o[2] + 4 and o[0] < box[2] + 4 and box[1] < o[3] + 4 and o[1] < box[3] + 4 for o in others)


def draw_board(rng, width, height, marks, large):
    """The pixels, and boxes x1 y1 x2 y2 class."""
    pixels = board(rng, width, height)
    sides = [HUGE] * large + [0] * int(rng.integers(marks[0], marks[1] + 1))
    boxes = []
    for side in sides:
        for _ in range(20):  # so often a free place is tried
            w, h = (side, side) if side else rng.integers(SMALLEST, LARGEST + 1, 2)
            x, y = rng.integers(0, width - w + 1), rng.integers(0, height - h + 1)
            kind = 2 if side else int(rng.integers(0, len(CLASSES)))
            box = (int(x), int(y), int(x + w), int(y + h), kind)
            if not overlaps(box, boxes):
                paint(pixels, kind, box[:4])
                boxes.append(box)
                break
    return pixels, boxes


def numbers(text, separator):
    first, second = (int(number) for number in text.split(separator))
    return first, second


def main():
    parser = argparse.ArgumentParser(description="draws big inspection pictures with small marks")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--size", default="6000x4000", help="width x height, pixels")
    parser.add_argument("--marks", default="20-200", help="fewest and most of a picture")
    parser.add_argument("--large", type=int, default=2, help=f"marks of {HUGE} pixels in each picture that is larger than 2000")
    parser.add_argument("--format", choices=["jpg", "png"], default="jpg")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    width, height = numbers(arguments.size, "x")
    large = arguments.large if min(width, height) > 2000 else 0
    out, n_val, total = arguments.out, max(1, arguments.pictures // 4), 0
    (out / "images").mkdir(parents=True, exist_ok=True)
    lines = []
    for i in range(arguments.pictures):
        rng = np.random.Generator(np.random.PCG64([arguments.seed, i]))
        pixels, boxes = draw_board(rng, width, height, numbers(arguments.marks, "-"), large)
        name = f"images/board{i:03d}.{arguments.format}"
        Image.fromarray(pixels).save(out / name, **({"quality": 92} if arguments.format == "jpg" else {"compress_level": 1}))
        lines.append(" ".join([name] + [",".join(map(str, box)) for box in boxes]) + "\n")
        total += len(boxes)
    (out / "classes.txt").write_text("".join(name + "\n" for name in CLASSES))
    (out / "train.txt").write_text("".join(lines[n_val:]))
    (out / "val.txt").write_text("".join(lines[:n_val]))
    print(f"{arguments.pictures} boards of {width} x {height} ({n_val} of them val), {total} marks in {out}")


if __name__ == "__main__":
    main()
