"""The augmentation of qqwweee/keras-yolo3 (get_random_data) in numpy, Pillow and colorsys, and what it makes of one drawing.

Independent of Letterpress's code: the random stream (Philox4x32-10 keyed by XXH3-128), the order of the draws, the geometry, Pillow's
resampling and Python's own HSV. Writes photo.png (the input) and keras_yolo3.json / keras_yolo3.rgb (draws, boxes and frames of the views).
Needs numpy, Pillow and xxhash; run in this folder.
"""
import colorsys
import json
import math
import struct

import numpy
import xxhash
from PIL import Image

SIDE, VIEWS, SEED, DRAW = 64, 12, 7, 2
SOURCE_HASH = xxhash.xxh3_128_digest(b"photo")
BOXES = [(8, 6, 40, 50), (60, 20, 90, 60), (0, 0, 96, 64), (46, 30, 47, 31)]


class Stream:
    def __init__(self, view, index):
        name = struct.pack("<QQ16sii", SEED, DRAW, SOURCE_HASH, view, index)
        words = struct.unpack("<4I", xxhash.xxh3_128_digest(name))
        self.key, self.high, self.block, self.values = words[:2], words[2:], 0, []

    def next(self):
        if not self.values:
            counter, key = [self.block, 0, self.high[0], self.high[1]], list(self.key)
            for _ in range(10):
                a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
                counter = [b >> 32 ^ counter[1] ^ key[0], b & 0xFFFFFFFF, a >> 32 ^ counter[3] ^ key[1], a & 0xFFFFFFFF]
                key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
            self.values, self.block = counter, self.block + 1
        return self.values.pop(0) / 2**32

    def rand(self, low, high):
        return rounded(low + (high - low) * self.next())


def rounded(value):
    return math.floor(value * 65536 + 0.5) / 65536


def draw(view):
    place, flip, colour = Stream(view, 0), Stream(view, 1), Stream(view, 2)
    numerator = place.rand(0.7, 1.3)
    values = {"place_jitter.aspect": rounded(numerator / place.rand(0.7, 1.3)), "place_jitter.scale": place.rand(0.25, 2)}
    values |= {"place_jitter.x": place.rand(0, 1), "place_jitter.y": place.rand(0, 1)}
    values |= {"hflip.flip": float(flip.next() < 0.5), "hsv.hue": colour.rand(-0.1, 0.1)}
    for name in ("hsv.saturation", "hsv.value"):
        values[name] = colour.rand(1, 1.5) if colour.next() < 0.5 else rounded(1 / colour.rand(1, 1.5))
    return values


def recolour(pixel, hue, saturation, value):
    h, s, v = colorsys.rgb_to_hsv(*(pixel / 255))
    h = h + hue
    h = h - 1 if h > 1 else h + 1 if h < 0 else h
    return colorsys.hsv_to_rgb(h, min(max(s * saturation, 0), 1), min(max(v * value, 0), 1))


def augment(picture, values):
    aspect, scale = values["place_jitter.aspect"], values["place_jitter.scale"]
    if aspect < 1:
        height = int(scale * SIDE)
        width = int(height * aspect)
    else:
        width = int(scale * SIDE)
        height = int(width / aspect)
    dx, dy = int(values["place_jitter.x"] * (SIDE - width)), int(values["place_jitter.y"] * (SIDE - height))
    frame = Image.new("RGB", (SIDE, SIDE), (128, 128, 128))
    frame.paste(picture.resize((width, height), Image.BICUBIC), (dx, dy))
    if values["hflip.flip"]:
        frame = frame.transpose(Image.FLIP_LEFT_RIGHT)
    pixels = numpy.asarray(frame).reshape(-1, 3)
    changed = [recolour(pixel, values["hsv.hue"], values["hsv.saturation"], values["hsv.value"]) for pixel in pixels]
    boxes = []
    for x1, y1, x2, y2 in BOXES:
        x1, x2 = (x * width / picture.width + dx for x in (x1, x2))
        y1, y2 = (y * height / picture.height + dy for y in (y1, y2))
        if values["hflip.flip"]:
            x1, x2 = SIDE - x2, SIDE - x1
        cut = [min(max(value, 0), SIDE) for value in (x1, y1, x2, y2)]
        if cut[2] - cut[0] > 1 and cut[3] - cut[1] > 1:
            boxes.append(cut + [int(cut != [x1, y1, x2, y2])])
    return (numpy.array(changed) * 255).round().astype(numpy.uint8), boxes


def drawing(width, height):
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    picture = numpy.stack([255 * x / width, 255 * y / height, 128 + 100 * numpy.sin(x / 3 + y / 4)], axis=2)
    picture[8:30, 12:40] = (250, 30, 40)
    picture[40:60, 60:90] = (20, 220, 60)
    picture[20:24] = 255
    return Image.fromarray(picture.round().astype(numpy.uint8))


photo = drawing(96, 64)
photo.save("photo.png")
views, frames = [], b""
for view in range(1, VIEWS + 1):
    values = draw(view)
    frame, boxes = augment(photo, values)
    frames += frame.tobytes()
    views.append({"draws": values, "boxes": boxes})
with open("keras_yolo3.json", "w") as file:
    json.dump({"side": SIDE, "seed": SEED, "draw": DRAW, "boxes": BOXES, "views": views}, file, indent=1)
with open("keras_yolo3.rgb", "wb") as file:
    file.write(frames)
