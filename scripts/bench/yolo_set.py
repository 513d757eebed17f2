"""A set as Ultralytics reads it: links to pictures and label files of YOLO, one folder per split, and a data.yaml."""
import dataclasses
import json
import os
import pathlib
import xml.etree.ElementTree


@dataclasses.dataclass(frozen=True)
class Picture:
    file: pathlib.Path
    size: tuple  # width, height, pixels
    boxes: list  # (name of class, x1, y1, x2, y2), pixels


def voc_picture(data, name):
    """A picture of a Pascal VOC folder and its annotation."""
    root = xml.etree.ElementTree.parse(data / "Annotations" / f"{name}.xml").getroot()
    sides = ("xmin", "ymin", "xmax", "ymax")
    boxes = [(one.find("name").text, *(float(one.find(f"bndbox/{side}").text) for side in sides)) for one in root.iter("object")]
    size = tuple(float(root.find(f"size/{side}").text) for side in ("width", "height"))
    return Picture(data / "JPEGImages" / f"{name}.jpg", size, boxes)


def keras_picture(folder, line, names, size):
    """A picture of a line of a keras-yolo3 list, "file x1,y1,x2,y2,class ...", whose pictures all have one size."""
    file, *boxes = line.split()
    numbers = [[int(number) for number in box.split(",")] for box in boxes]
    return Picture(folder / file, size, [(names[class_], *corners) for *corners, class_ in numbers])


def label_lines(picture, classes):
    """ "class cx cy width height" of each box with an area, shares of the picture. Names of classes get numbers as they come."""
    width, height = picture.size
    for name, x1, y1, x2, y2 in picture.boxes:
        if x2 > x1 and y2 > y1:
            class_ = classes.setdefault(name, len(classes))
            yield f"{class_} {(x1 + x2) / 2 / width} {(y1 + y2) / 2 / height} {(x2 - x1) / width} {(y2 - y1) / height}\n"


def write_split(pictures, split, folder, classes):
    for part in ("images", "labels"):
        (folder / part / split).mkdir(parents=True)
    for picture in pictures:
        os.symlink(picture.file.resolve(), folder / "images" / split / picture.file.name)
        (folder / "labels" / split / f"{picture.file.stem}.txt").write_text("".join(label_lines(picture, classes)))


def write_pictures(splits, folder):
    """splits: {"train": Pictures, ...}; without "val" the train split takes its place. Returns data.yaml, whose folder is `folder`."""
    classes = {}
    for split, pictures in splits.items():
        write_split(pictures, split, folder, classes)
    val = "val" if "val" in splits else "train"
    file = folder / "data.yaml"
    described = {"path": str(folder.resolve()), "train": "images/train", "val": f"images/{val}", "names": list(classes)}
    file.write_text(json.dumps(described))  # JSON is YAML
    return file


def write_yolo(data, splits, folder):
    """The same of a Pascal VOC folder, by the names of its pictures."""
    return write_pictures({split: [voc_picture(data, name) for name in names] for split, names in splits.items()}, folder)
