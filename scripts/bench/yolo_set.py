"""BCCD as Ultralytics reads it: pictures and label files of YOLO, one folder per split, and a data.yaml."""
import json
import os
import xml.etree.ElementTree


def label_line(object_, size, classes):
    """ "class cx cy width height" of a VOC object, shares of the picture; empty for a box without area."""
    x1, y1, x2, y2 = (float(object_.find(f"bndbox/{side}").text) for side in ("xmin", "ymin", "xmax", "ymax"))
    if x2 <= x1 or y2 <= y1:
        return ""
    width, height = size
    class_ = classes.setdefault(object_.find("name").text, len(classes))
    return f"{class_} {(x1 + x2) / 2 / width} {(y1 + y2) / 2 / height} {(x2 - x1) / width} {(y2 - y1) / height}\n"


def write_split(data, names, split, folder, classes):
    for part in ("images", "labels"):
        (folder / part / split).mkdir(parents=True)
    for name in names:
        os.symlink((data / "JPEGImages" / f"{name}.jpg").resolve(), folder / "images" / split / f"{name}.jpg")
        root = xml.etree.ElementTree.parse(data / "Annotations" / f"{name}.xml").getroot()
        size = [float(root.find(f"size/{side}").text) for side in ("width", "height")]
        lines = [label_line(object_, size, classes) for object_ in root.iter("object")]
        (folder / "labels" / split / f"{name}.txt").write_text("".join(lines))


def write_yolo(data, splits, folder):
    """splits: {"train": names, ...}; without "val" the train split takes its place. Returns data.yaml, whose folder is `folder`."""
    classes = {}
    for split, names in splits.items():
        write_split(data, names, split, folder, classes)
    val = "val" if "val" in splits else "train"
    file = folder / "data.yaml"
    described = {"path": str(folder.resolve()), "train": "images/train", "val": f"images/{val}", "names": list(classes)}
    file.write_text(json.dumps(described))  # JSON is YAML
    return file
