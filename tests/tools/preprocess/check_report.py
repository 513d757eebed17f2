"""Checks a report's numbers against counts made from the label files. usage: check_report.py REPORT SAMPLE SIDE

SAMPLE: a folder of samples/draw.py, of which train.txt and val.txt were stored with recipe none in a frame of SIDE pixels. Standard library only.
"""
import math
import pathlib
import struct
import sys
from collections import Counter
from html.parser import HTMLParser


class Report(HTMLParser):
    def __init__(self):
        super().__init__()
        self.figures, self.classes, self.bins, self.crowds, self.pictures, self.open = {}, Counter(), Counter(), Counter(), [], None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        assert tag not in ("script", "link", "iframe", "object"), f"<{tag}>: the page is to hold everything itself"
        for name in ("src", "href", "data"):
            assert values.get(name, "data:").startswith("data:"), f"{name}={values[name]}: the page reaches outside"
        if tag == "image":
            self.pictures.append(values["href"])
        self.open = values.get("data-figure")
        n = int(values.get("data-n", 0))
        if "data-class" in values:
            self.classes[values["data-class"], values["data-split"]] += n
        if "data-size-bin" in values:
            self.bins[int(values["data-size-bin"])] += n
        if "data-boxes" in values:
            self.crowds[int(values["data-boxes"])] += n

    def handle_data(self, text):
        if self.open:
            self.figures[self.open] = int(text.replace(",", ""))
            self.open = None


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def main():
    report_file, folder, side = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    text = report_file.read_text(encoding="utf-8")
    report = Report()
    report.feed(text)
    assert "http:" not in text and "https:" not in text and "url(" not in text, "the page reaches outside"

    names = (folder / "classes.txt").read_text().split()
    classes, bins, crowds, splits, background = Counter(), Counter(), Counter(), Counter(), 0
    for split in ("train", "val"):
        for line in (folder / f"{split}.txt").read_text().splitlines():
            picture, *boxes = line.split()
            width, height = png_size(folder / picture)
            scale = min(side / width, side / height)
            x_scale, y_scale = round(width * scale) / width, round(height * scale) / height
            splits[split] += 1
            crowds[len(boxes)] += 1
            background += not boxes
            for box in boxes:
                x1, y1, x2, y2, name = (int(value) for value in box.split(","))
                classes[names[name], split] += 1
                size = math.sqrt((x2 - x1) * x_scale * (y2 - y1) * y_scale)
                bins[min(int(size * 32 / side), 31)] += 1

    assert +report.classes == classes, (report.classes, classes)
    assert +report.bins == bins, (report.bins, bins)
    assert +report.crowds == crowds, (report.crowds, crowds)
    pictures, boxes = sum(splits.values()), sum(classes.values())
    assert boxes > 0 and len(bins) > 2 and len(classes) > 2, "the sample is too small to tell anything"
    for name, wanted in {"pictures_found": pictures, "pictures_stored": pictures, "pictures_background": background, "pictures_rejected": 0,
                         "pictures_duplicate": 0, "boxes_found": boxes, "boxes_stored": boxes, "boxes_rejected": 0, "boxes_merged": 0,
                         "split.train.pictures": splits["train"], "split.val.pictures": splits["val"], "classes": len(names),
                         "rows": splits["train"]}.items():
        assert report.figures[name] == wanted, f"{name}: {report.figures[name]}, counted {wanted}"
    assert report.pictures and all(uri.startswith("data:image/png;base64,iVBORw0KGgo") for uri in report.pictures)


main()
