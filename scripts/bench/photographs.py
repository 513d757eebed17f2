"""The pictures of a benchmark: 640 x 480 JPEG files with boxes, as a YOLO data set and as a keras-yolo3 list. The same on every machine.

From a folder of photographs: these, each also mirrored, upside down and turned by 180 degrees. Without one: drawn pictures whose
spectrum falls as that of photographs does (a power of 1/f). With --distinct N they come round again after N, as other files: some bytes
stand behind their end. Runs with the peers' Python (numpy, Pillow).
usage: photographs.py OUT COUNT [FOLDER] [--size 640x480] [--distinct N]
"""
import argparse
import itertools
import pathlib
import random

import numpy
from PIL import Image

QUALITY = 75
SLOPE = 1.25  # of the amplitude spectrum; photographs have 1 to 1.3
TURNS = [None, Image.FLIP_LEFT_RIGHT, Image.FLIP_TOP_BOTTOM, Image.ROTATE_180]


def drawn(seed, width, height):
    generator = numpy.random.default_rng(seed)
    down, across = numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None, :]
    amplitude = numpy.maximum(numpy.hypot(down, across), 1 / max(width, height)) ** -SLOPE
    channels = []
    for _ in range(3):
        phase = numpy.exp(2j * numpy.pi * generator.random(amplitude.shape))
        plane = numpy.fft.irfft2(amplitude * phase, s=(height, width))
        channels.append(128 + 40 * plane / plane.std())
    luminance = channels[0]
    rgb = numpy.stack([luminance, 0.8 * luminance + 0.2 * channels[1], 0.8 * luminance + 0.2 * channels[2]], axis=2)
    return Image.fromarray(rgb.clip(0, 255).round().astype(numpy.uint8))


def pictures(count, folder, size):
    """`count` different pictures, in a fixed order."""
    if folder is None:
        yield from (drawn(seed, *size) for seed in range(count))
        return
    paths = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    if len(paths) * len(TURNS) < count:
        raise SystemExit(f"photographs: {folder} holds {len(paths)} pictures, must hold {-(-count // len(TURNS))} or more")
    for turn, path in itertools.islice(itertools.product(TURNS, paths), count):
        picture = Image.open(path).convert("RGB")
        picture = picture if picture.size == size else picture.resize(size, Image.BICUBIC)
        yield picture if turn is None else picture.transpose(turn)


def boxes(generator, width, height):
    """Four to sixteen boxes of 5 to 30 % of the picture's sides, class 0 to 2: x1 y1 x2 y2 class."""
    found = []
    for _ in range(generator.randint(4, 16)):
        w, h = int(width * generator.uniform(0.05, 0.3)), int(height * generator.uniform(0.05, 0.3))
        x, y = generator.randint(0, width - w), generator.randint(0, height - h)
        found.append((x, y, x + w, y + h, generator.randrange(3)))
    return found


def write_pictures(images, count, made):
    """Paths of `count` files: of the pictures `made`, then of the same ones again, of other bytes but the same pixels."""
    paths = [images / f"{i:06}.jpg" for i in range(count)]
    distinct = 0
    for path, picture in zip(paths, made):
        picture.save(path, quality=QUALITY)
        distinct += 1
    for i in range(distinct, count):
        paths[i].write_bytes(paths[i % distinct].read_bytes() + str(i).encode())
    return paths


def write(out, made, count, size):
    generator = random.Random(1)
    images, labels = out / "images" / "train", out / "labels" / "train"
    images.mkdir(parents=True)
    labels.mkdir(parents=True)
    width, height = size
    lines = []
    for i, path in enumerate(write_pictures(images, count, made)):
        found = boxes(generator, width, height)
        lines.append(" ".join([str(path.resolve())] + [",".join(map(str, box)) for box in found]))
        yolo = [f"{c} {(x1 + x2) / 2 / width} {(y1 + y2) / 2 / height} {(x2 - x1) / width} {(y2 - y1) / height}" for x1, y1, x2, y2, c in found]
        (labels / f"{i:06}.txt").write_text("\n".join(yolo) + "\n")
    (out / "train.txt").write_text("\n".join(lines) + "\n")
    (out / "classes.txt").write_text("a\nb\nc\n")
    (out / "data.yaml").write_text(f"path: {out.resolve()}\ntrain: images/train\nval: images/train\nnames: [a, b, c]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--size", default="640x480", help="WIDTHxHEIGHT")
    parser.add_argument("--distinct", type=int, help="different pictures; all by default")
    arguments = parser.parse_args()
    size = tuple(map(int, arguments.size.split("x")))
    distinct = min(arguments.count, arguments.distinct or arguments.count)
    write(arguments.out, pictures(distinct, arguments.folder, size), arguments.count, size)


if __name__ == "__main__":
    main()
