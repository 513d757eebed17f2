"""Checks an unpacked COCO set with Pillow and numpy: check_unpacked.py FOLDER. Its one picture is black with a white rectangle, which is its
only box. Exit 77: not installed."""
import json
import pathlib
import sys

try:
    import numpy
    from PIL import Image
except ImportError:
    sys.exit(77)

folder = pathlib.Path(sys.argv[1])
document = json.loads((folder / "train.json").read_text())
[image], [annotation] = document["images"], document["annotations"]
pixels = numpy.asarray(Image.open(folder / image["file_name"]).convert("L")).astype(int)
assert pixels.shape == (image["height"], image["width"]), (pixels.shape, image)
x, y, width, height = annotation["bbox"]
inside = numpy.zeros(pixels.shape, bool)
inside[round(y) : round(y + height), round(x) : round(x + width)] = True
wrong = int(((pixels > 127) != inside).sum())
# Resampling blurs the rectangle's edge by less than a pixel.
assert wrong <= 2 * (width + height), f"{wrong} pixels are not what the box {annotation['bbox']} says"
assert inside.any() and not inside.all()
