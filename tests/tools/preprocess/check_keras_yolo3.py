"""Checks a store against the augmentation of qqwweee/keras-yolo3 (get_random_data), fed with the draws that the store's rows hold.

Usage: check_keras_yolo3.py FOLDER. Without a store in it: draws pictures of real sizes and their label list there. With one: reads each
augmented row, applies the original's steps to the original picture in numpy and Pillow, and compares: mean absolute difference of the frame
at most 2 grey levels, each box within 1 pixel (the original truncates corners), the same boxes kept but for those at the limit.
Exit code 77 where a package is missing.
"""
import glob
import json
import os
import sys

try:
    import h5py
    import numpy
    from PIL import Image
except ImportError:
    sys.exit(77)

SIZES = [(640, 480), (375, 500), (1280, 720), (300, 300), (333, 1000)]


def draw(folder):
    random = numpy.random.default_rng(3)
    lines = []
    for number, (width, height) in enumerate(SIZES):
        y, x = numpy.mgrid[0:height, 0:width].astype(float)
        picture = numpy.zeros((height, width, 3))
        for c in range(3):  # waves of all lengths, as photographs have
            for wave in (400, 150, 60, 25, 12):
                angle, phase = random.uniform(0, 6.3, 2)
                picture[..., c] += wave**0.5 * numpy.sin(6.28 / wave * (x * numpy.cos(angle) + y * numpy.sin(angle)) + phase)
        picture = 128 + 2.2 * picture + random.normal(0, 3, picture.shape)
        boxes = []
        for _ in range(6):
            w, h = random.integers(12, width // 2), random.integers(12, height // 2)
            left, top = random.integers(0, width - w), random.integers(0, height - h)
            picture[top : top + h, left : left + w] *= random.uniform(0.4, 1.3, 3)
            boxes.append(f"{left},{top},{left + w},{top + h},0")
        name = f"{number}.{'jpg' if number % 2 else 'png'}"
        Image.fromarray(picture.clip(0, 255).astype(numpy.uint8)).save(os.path.join(folder, name), quality=95, subsampling=0)
        lines.append(name + " " + " ".join(boxes))
    with open(os.path.join(folder, "train.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "classes.txt"), "w") as file:
        file.write("thing\n")


def to_hsv(rgb):
    top, low = rgb.max(-1), rgb.min(-1)
    span = numpy.where(top > low, top - low, 1)
    r, g, b = numpy.moveaxis(rgb, -1, 0)
    sixths = numpy.select([top == r, top == g], [(g - b) / span % 6, (b - r) / span + 2], (r - g) / span + 4)
    return sixths / 6, numpy.where(top > 0, (top - low) / numpy.where(top > 0, top, 1), 0), top


def to_rgb(h, s, v):
    channels = [(n + 6 * h) % 6 for n in (5, 3, 1)]
    return numpy.stack([v - v * s * numpy.clip(numpy.minimum(k, 4 - k), 0, 1) for k in channels], -1)


def get_random_data(picture, boxes, side, drawn):
    """The original, with w = h = side; drawn[name] in place of rand()."""
    width, height = picture.size
    aspect, scale = drawn["place_jitter.aspect"], drawn["place_jitter.scale"]
    if aspect < 1:
        nh = int(scale * side)
        nw = int(nh * aspect)
    else:
        nw = int(scale * side)
        nh = int(nw / aspect)
    dx, dy = int(drawn["place_jitter.x"] * (side - nw)), int(drawn["place_jitter.y"] * (side - nh))
    frame = Image.new("RGB", (side, side), (128, 128, 128))
    frame.paste(picture.resize((nw, nh), Image.BICUBIC), (dx, dy))
    if drawn["hflip.flip"]:
        frame = frame.transpose(Image.FLIP_LEFT_RIGHT)
    h, s, v = to_hsv(numpy.asarray(frame) / 255.0)
    h = h + drawn["hsv.hue"]
    h = numpy.where(h > 1, h - 1, numpy.where(h < 0, h + 1, h))
    pixels = to_rgb(h, (s * drawn["hsv.saturation"]).clip(0, 1), (v * drawn["hsv.value"]).clip(0, 1)) * 255
    boxes = boxes.astype(float)
    boxes[:, [0, 2]] = boxes[:, [0, 2]] * nw / width + dx
    boxes[:, [1, 3]] = boxes[:, [1, 3]] * nh / height + dy
    if drawn["hflip.flip"]:
        boxes[:, [0, 2]] = side - boxes[:, [2, 0]]
    return pixels, boxes.clip(0, side)


def compare(folder):
    lines = [line.split() for line in open(os.path.join(folder, "train.txt"))]
    labels = {line[0]: numpy.array([[int(v) for v in box.split(",")[:4]] for box in line[1:]]) for line in lines}
    worst, worst_box, rows = 0, 0, 0
    for path in glob.glob(os.path.join(folder, "store", "shards", "*.h5")):
        shard = h5py.File(path)
        names, text, offset = json.loads(shard.attrs["augment_names"]), shard["name_bytes"][:].tobytes(), shard["name_offset"][:]
        for row in range(len(shard["view"])):
            if shard["view"][row] < 1:
                continue
            name = text[offset[row] : offset[row + 1]].decode()
            drawn = {key: float(value) for key, value in zip(names, shard["augment"][row])}
            image = shard["images"][row].astype(float)
            picture = Image.open(os.path.join(folder, name)).convert("RGB")
            pixels, boxes = get_random_data(picture, labels[name], image.shape[0], drawn)
            mean = numpy.abs(image - pixels).mean()
            kept = shard["boxes"][row][: shard["box_count"][row], :4]
            sides = numpy.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
            for box in kept:
                worst_box = max(worst_box, numpy.abs(boxes - box).max(1).min())
            if not (sides > 1.01).sum() <= len(kept) <= (sides > 0.99).sum():
                sys.exit(f"{name} view {shard['view'][row]}: {len(kept)} boxes, the original keeps {(sides > 1).sum()}")
            worst, rows = max(worst, mean), rows + 1
    print(f"{rows} rows; mean difference at most {worst:.3f} grey levels, boxes within {worst_box:.4f} pixels")
    if rows < len(SIZES) or worst > 2 or worst_box > 1:
        sys.exit(1)


if os.path.isdir(os.path.join(sys.argv[1], "store")):
    compare(sys.argv[1])
else:
    draw(sys.argv[1])
