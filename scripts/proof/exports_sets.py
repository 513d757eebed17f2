"""The sets of exports.py: one function per layout writes it into an empty folder and returns what --input is given, the splits that it should have
(None: all train) and further flags."""
import collections
import csv
import importlib.util
import json
import random
import shutil

WRITERS = ("supervision", "pylabel", "globox", "datumaro", "label_studio_sdk")
SIDE = (48, 36)
BOX = (6, 9, 30, 27)  # x1 y1 x2 y2, pixels from 0
TRAIN, VAL = ["a1", "a2", "a3", "a4"], ["b1", "b2"]
ALL = {"train": 6}
SPLIT = {"train": 4, "val": 2}
Export = collections.namedtuple("Export", "tool layout written_by labels wanted flags")
LAYOUTS = []


def layout(tool, shown, wanted=None, written_by="its description", flags=()):
    def add(function):
        LAYOUTS.append((tool, shown, wanted or ALL, written_by, flags, function))
        return function
    return add


def is_installed(name):
    return importlib.util.find_spec(name) is not None


def write_all(work):
    for i, (tool, shown, wanted, written_by, flags, function) in enumerate(LAYOUTS):
        if written_by in WRITERS and not is_installed(written_by):
            continue
        folder = work / f"{i:02}_{function.__name__}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        labels = function(folder) or folder
        yield Export(tool, shown, written_by, labels, wanted, [flag.format(folder=folder) for flag in flags])


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def picture(path):
    from PIL import Image
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = random.Random(path.stem)
    image = Image.new("RGB", SIDE)
    image.putdata([tuple(noise.randrange(256) for _ in range(3)) for _ in range(SIDE[0] * SIDE[1])])
    image.save(path, quality=95)


def splits(train="train", val="val"):
    """(folder's name, picture's name) of each picture."""
    return [(train, name) for name in TRAIN] + [(val, name) for name in VAL]


def yolo_line():
    x1, y1, x2, y2 = BOX
    return f"0 {(x1 + x2) / 2 / SIDE[0]} {(y1 + y2) / 2 / SIDE[1]} {(x2 - x1) / SIDE[0]} {(y2 - y1) / SIDE[1]}\n"


def voc_xml(name):
    corners = "".join(f"<{tag}>{value + (tag.endswith('min'))}</{tag}>" for tag, value in zip(("xmin", "ymin", "xmax", "ymax"), BOX))
    return (f"<annotation><filename>{name}.jpg</filename><size><width>{SIDE[0]}</width><height>{SIDE[1]}</height><depth>3</depth></size><object>"
            f"<name>nut</name><bndbox>{corners}</bndbox></object></annotation>")


def coco(names, **more):
    x1, y1, x2, y2 = BOX
    return {"images": [{"id": i, "file_name": f"{name}.jpg", "width": SIDE[0], "height": SIDE[1]} for i, name in enumerate(names)],
            "categories": [{"id": 1, "name": "nut"}],
            "annotations": [{"id": i, "image_id": i, "category_id": 1, "bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1), "iscrowd": 0}
                            for i, _ in enumerate(names)], **more}


def labelme(name):
    return {"version": "5.5.0", "flags": {}, "shapes": [{"label": "nut", "points": [BOX[:2], BOX[2:]], "group_id": None, "shape_type": "rectangle",
            "flags": {}}], "imagePath": f"{name}.jpg", "imageData": None, "imageHeight": SIDE[1], "imageWidth": SIDE[0]}


def rows(path, names, header, row):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for name in names:
            writer.writerow(row(name))



# Roboflow: docs.roboflow.com, formats
@layout("Roboflow", "YOLOv8: data.yaml, train/images, valid/images; test named and not there", SPLIT)
def roboflow_yolo(folder):
    for split, name in splits(val="valid"):
        picture(folder / split / "images" / f"{name}.jpg")
        write(folder / split / "labels" / f"{name}.txt", yolo_line())
    write(folder / "data.yaml", "train: ../train/images\nval: ../valid/images\ntest: ../test/images\n\nnc: 1\nnames: ['nut']\n")


@layout("Roboflow", "COCO: train/_annotations.coco.json, valid/...", SPLIT)
def roboflow_coco(folder):
    for split, names in {"train": TRAIN, "valid": VAL}.items():
        for name in names:
            picture(folder / split / f"{name}.jpg")
        write(folder / split / "_annotations.coco.json", coco(names))


@layout("Roboflow", "VOC: train/*.xml, valid/*.xml beside their pictures", SPLIT)
def roboflow_voc(folder):
    for split, name in splits(val="valid"):
        picture(folder / split / f"{name}.jpg")
        write(folder / split / f"{name}.xml", voc_xml(name))


@layout("Roboflow", "CSV: train/_annotations.csv, valid/...", SPLIT)
def roboflow_csv(folder):
    for split, names in {"train": TRAIN, "valid": VAL}.items():
        for name in names:
            picture(folder / split / f"{name}.jpg")
        rows(folder / split / "_annotations.csv", names, "filename width height class xmin ymin xmax ymax".split(),
             lambda name: [f"{name}.jpg", *SIDE, "nut", *BOX])


@layout("Roboflow", "Darknet: train/_darknet.labels, valid/...", SPLIT)
def roboflow_darknet(folder):
    for split, name in splits(val="valid"):
        picture(folder / split / f"{name}.jpg")
        write(folder / split / f"{name}.txt", yolo_line())
        write(folder / split / "_darknet.labels", "nut\n")


@layout("LabelMe", "train/*.json, val/*.json beside their pictures", SPLIT)
def labelme_splits(folder):
    for split, name in splits():
        picture(folder / split / f"{name}.jpg")
        write(folder / split / f"{name}.json", labelme(name))


@layout("labelImg, YOLO", "images/train, labels/train, images/val, ...; classes.txt in each labels folder", SPLIT)
def labelimg_yolo(folder):
    for split, name in splits():
        picture(folder / "images" / split / f"{name}.jpg")
        write(folder / "labels" / split / f"{name}.txt", yolo_line())
        write(folder / "labels" / split / "classes.txt", "nut\n")


@layout("Ultralytics", "images/train, labels/train, images/val, ... without data.yaml", SPLIT, flags=("--classes", "{folder}/names.txt"))
def ultralytics_bare(folder):
    for split, name in splits():
        picture(folder / "images" / split / f"{name}.jpg")
        write(folder / "labels" / split / f"{name}.txt", yolo_line())
    write(folder / "names.txt", "nut\n")


@layout("labelImg, VOC", "Annotations/train/*.xml, Annotations/val/*.xml; JPEGImages", SPLIT)
def voc_split_folders(folder):
    for split, name in splits():
        picture(folder / "JPEGImages" / f"{name}.jpg")
        write(folder / "Annotations" / split / f"{name}.xml", voc_xml(name))


@layout("a set of one's own", "annots, Validation_annots, IMAGES, Validation_Images", SPLIT)
def annots(folder):
    for split, name in splits("", "Validation_"):
        picture(folder / (split + ("Images" if split else "IMAGES")) / f"{name}.jpg")
        write(folder / f"{split}annots" / f"{name}.xml", voc_xml(name))


@layout("COCO", "annotations/instances_*, captions_*, person_keypoints_*; train2017, val2017", SPLIT)
def coco_own(folder):
    for split, names in {"train2017": TRAIN, "val2017": VAL}.items():
        for name in names:
            picture(folder / split / f"{name}.jpg")
        write(folder / f"annotations/instances_{split}.json", coco(names))
        write(folder / f"annotations/person_keypoints_{split}.json", coco(names))
        captions = {**coco(names), "annotations": [{"id": i, "image_id": i, "caption": "a nut"} for i, _ in enumerate(names)]}
        del captions["categories"]
        write(folder / f"annotations/captions_{split}.json", captions)


@layout("CVAT", "YOLO 1.1: obj.data, obj.names, obj_train_data")
def cvat_yolo(folder):
    for name in TRAIN + VAL:
        picture(folder / "obj_train_data" / f"{name}.jpg")
        write(folder / "obj_train_data" / f"{name}.txt", yolo_line())
    write(folder / "obj.names", "nut\n")
    write(folder / "obj.data", "classes = 1\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n")
    write(folder / "train.txt", "".join(f"data/obj_train_data/{name}.jpg\n" for name in TRAIN + VAL))


@layout("CVAT", "for images 1.1: annotations.xml, images")
def cvat_images(folder):
    x1, y1, x2, y2 = BOX
    images = ""
    for i, name in enumerate(TRAIN + VAL):
        picture(folder / "images" / f"{name}.jpg")
        images += (f'<image id="{i}" name="{name}.jpg" width="{SIDE[0]}" height="{SIDE[1]}"><box label="nut" occluded="0" xtl="{x1}" ytl="{y1}" '
                   f'xbr="{x2}" ybr="{y2}" z_order="0"></box></image>')
    write(folder / "annotations.xml", f'<?xml version="1.0" encoding="utf-8"?><annotations><version>1.1</version>{images}</annotations>')


@layout("Label Studio", "YOLO: notes.json, classes.txt, images, labels")
def label_studio_yolo(folder):
    for name in TRAIN + VAL:
        picture(folder / "images" / f"{name}.jpg")
        write(folder / "labels" / f"{name}.txt", yolo_line())
    write(folder / "classes.txt", "nut\n")
    write(folder / "notes.json", {"categories": [{"id": 0, "name": "nut"}], "info": {"year": 2026, "version": "1.0", "contributor": "Label Studio"}})


@layout("Supervisely", "train/ann, train/img, val/ann, val/img; meta.json", SPLIT)
def supervisely(folder):
    for split, name in splits():
        picture(folder / split / "img" / f"{name}.jpg")
        write(folder / split / "ann" / f"{name}.jpg.json", {"size": {"width": SIDE[0], "height": SIDE[1]}, "tags": [], "objects": [
            {"classTitle": "nut", "geometryType": "rectangle", "points": {"exterior": [BOX[:2], BOX[2:]], "interior": []}}]})
    write(folder / "meta.json", {"classes": [{"title": "nut", "shape": "rectangle"}], "tags": []})


@layout("VIA", "JSON: via.json beside the pictures")
def via(folder):
    x1, y1, x2, y2 = BOX
    region = {"shape_attributes": {"name": "rect", "x": x1, "y": y1, "width": x2 - x1, "height": y2 - y1}, "region_attributes": {"class": "nut"}}
    for name in TRAIN + VAL:
        picture(folder / f"{name}.jpg")
    write(folder / "via.json", {f"{name}.jpg1": {"filename": f"{name}.jpg", "size": 1, "regions": [region], "file_attributes": {}} for name in TRAIN + VAL})


@layout("KITTI", "training/label_2, training/image_2")
def kitti(folder):
    for name in TRAIN + VAL:
        picture(folder / "training/image_2" / f"{name}.jpg")
        write(folder / "training/label_2" / f"{name}.txt", "nut 0.00 0 0.00 " + " ".join(f"{value:.2f}" for value in BOX) + " 1 1 1 1 1 1 0\n")
    return folder / "training"


@layout("Hugging Face", "ImageFolder: train/metadata.jsonl, validation/metadata.jsonl", SPLIT)
def hugging_face(folder):
    x1, y1, x2, y2 = BOX
    for split, names in {"train": TRAIN, "validation": VAL}.items():
        lines = ""
        for name in names:
            picture(folder / split / f"{name}.jpg")
            lines += json.dumps({"file_name": f"{name}.jpg", "objects": {"bbox": [[x1, y1, x2 - x1, y2 - y1]], "categories": ["nut"]}}) + "\n"
        write(folder / split / "metadata.jsonl", lines)
