"""Rate of keras-yolo3's augmentation (get_random_data of qqwweee/keras-yolo3, MIT; its order of draws and its arithmetic) on one core.

usage: keras_yolo3.py LIST SIDE COUNT  ->  one JSON line
"""
import time

import numpy
from matplotlib.colors import hsv_to_rgb, rgb_to_hsv
from PIL import Image

import report


def rand(low=0.0, high=1.0):
    return numpy.random.rand() * (high - low) + low


def factor(largest):
    return rand(1, largest) if rand() < 0.5 else 1 / rand(1, largest)


def recoloured(frame, hue=0.1, saturation=1.5, value=1.5):
    shift, more_saturation, more_value = rand(-hue, hue), factor(saturation), factor(value)
    x = rgb_to_hsv(numpy.array(frame) / 255.0)
    x[..., 0] += shift
    x[..., 0][x[..., 0] > 1] -= 1
    x[..., 0][x[..., 0] < 0] += 1
    x[..., 1] *= more_saturation
    x[..., 2] *= more_value
    return hsv_to_rgb(x.clip(0, 1))


def moved(boxes, scale, shift, flipped, side, most=20):
    """Boxes in whole pixels, cut at the frame, padded with zeros to `most`."""
    padded = numpy.zeros((most, 5))
    numpy.random.shuffle(boxes)
    boxes[:, [0, 2]] = boxes[:, [0, 2]] * scale[0] + shift[0]
    boxes[:, [1, 3]] = boxes[:, [1, 3]] * scale[1] + shift[1]
    if flipped:
        boxes[:, [0, 2]] = side - boxes[:, [2, 0]]
    boxes[:, :4] = boxes[:, :4].clip(0, side)
    kept = boxes[((boxes[:, 2:4] - boxes[:, :2]) > 1).all(axis=1)][:most]
    padded[: len(kept)] = kept
    return padded


def random_sample(line, side, jitter=0.3):
    path, *fields = line.split()
    picture = Image.open(path)
    boxes = numpy.array([[int(number) for number in field.split(",")] for field in fields])
    aspect = rand(1 - jitter, 1 + jitter) / rand(1 - jitter, 1 + jitter)
    longer = int(rand(0.25, 2) * side)
    width, height = (int(longer * aspect), longer) if aspect < 1 else (longer, int(longer / aspect))
    resized = picture.resize((width, height), Image.BICUBIC)
    x, y = int(rand(0, side - width)), int(rand(0, side - height))
    frame = Image.new("RGB", (side, side), (128, 128, 128))
    frame.paste(resized, (x, y))
    flipped = rand() < 0.5
    if flipped:
        frame = frame.transpose(Image.FLIP_LEFT_RIGHT)
    pixels = recoloured(frame)
    return pixels, moved(boxes, (width / picture.width, height / picture.height), (x, y), flipped, side)


def main():
    lines, side, count = report.arguments()
    numpy.random.seed(1)
    random_sample(lines[0], side)
    started = time.perf_counter()
    for i in range(count):
        random_sample(lines[i % len(lines)], side)
    report.rate(count, time.perf_counter() - started, "pillow", "numpy", "matplotlib")


main()
