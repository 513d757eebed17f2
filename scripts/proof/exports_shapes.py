"""The layouts of exports.py whose objects are outlines, poses or turned boxes, those in archives, and what differs in details."""
import json
import shutil
import tarfile
import zipfile

import exports_files as files
import exports_sets as sets

X1, Y1, X2, Y2 = sets.BOX
WIDTH, HEIGHT = sets.SIDE


def shares(*points):
    return " ".join(f"{x / WIDTH:.6f} {y / HEIGHT:.6f}" for x, y in points)


CORNERS = ((X1, Y1), (X2, Y1), (X2, Y2), (X1, Y2))
POSE = "0 " + shares(((X1 + X2) / 2, (Y1 + Y2) / 2), (X2 - X1, Y2 - Y1)) + " " + shares((10, 12), (20, 20)) + "\n"


def yolo_lines(folder, line, more=""):
    for split, name in sets.splits():
        sets.picture(folder / "images" / split / f"{name}.jpg")
        sets.write(folder / "labels" / split / f"{name}.txt", line)
    sets.write(folder / "data.yaml", f"path: .\ntrain: images/train\nval: images/val\nnames: {{0: nut}}\n{more}")


@sets.layout("Ultralytics, segment", "data.yaml; class and polygon a line", sets.SPLIT)
def yolo_segment(folder):
    yolo_lines(folder, f"0 {shares((X1, Y1), ((X1 + X2) / 2, Y1), (X2, Y1), (X2, Y2), (X1, Y2))}\n")


@sets.layout("Ultralytics, OBB", "data.yaml; class and four corners a line", sets.SPLIT)
def yolo_obb(folder):
    yolo_lines(folder, f"0 {shares(*CORNERS)}\n")


@sets.layout("Ultralytics, pose", "data.yaml with kpt_shape; box and keypoints a line", sets.SPLIT)
def yolo_pose(folder):
    yolo_lines(folder, POSE, "kpt_shape: [2, 2]\n")


@sets.layout("COCO", "segmentation without bbox: instances.json, images")
def coco_segmentation(folder):
    files.pictures(folder / "images")
    document = sets.coco(files.NAMES)
    for annotation in document["annotations"]:
        del annotation["bbox"]
        annotation["segmentation"] = [[float(value) for corner in CORNERS for value in corner]]
    sets.write(folder / "instances.json", document)


@sets.layout("LVIS", "lvis.json with coco_url and no file_name; val2017")
def lvis(folder):
    files.pictures(folder / "val2017")
    document = sets.coco(files.NAMES)
    for image in document["images"]:
        image["coco_url"] = "http://images.cocodataset.org/val2017/" + image.pop("file_name")
    sets.write(folder / "lvis.json", document)


@sets.layout("CVAT", "COCO 1.0: annotations/instances_default.json, images/default")
def cvat_coco(folder):
    files.pictures(folder / "images/default")
    sets.write(folder / "annotations/instances_default.json", sets.coco(files.NAMES))


@sets.layout("CVAT", "VOC 1.1: Annotations/default, ImageSets/Main/default.txt, JPEGImages/default; labelmap.txt")
def cvat_voc(folder):
    files.pictures(folder / "JPEGImages/default")
    for name in files.NAMES:
        sets.write(folder / "Annotations/default" / f"{name}.xml", sets.voc_xml(name))
    sets.write(folder / "ImageSets/Main/default.txt", "".join(f"default/{name}\n" for name in files.NAMES))
    sets.write(folder / "labelmap.txt", "# label:color_rgb:parts:actions\nbackground:0,0,0::\nnut:128,0,0::\n")


@sets.layout("Pascal VOC", "Annotations, JPEGImages, ImageSets/Main/train.txt, val.txt, trainval.txt", sets.SPLIT)
def voc_own(folder):
    files.pictures(folder / "JPEGImages")
    for name in files.NAMES:
        sets.write(folder / "Annotations" / f"{name}.xml", sets.voc_xml(name))
    for list_name, names in {"train": sets.TRAIN, "val": sets.VAL, "trainval": files.NAMES}.items():
        sets.write(folder / f"ImageSets/Main/{list_name}.txt", "".join(f"{name}\n" for name in names))


@sets.layout("FiftyOne", "FiftyOneDataset: samples.json with ground_truth and predictions, data")
def fiftyone_samples(folder):
    files.pictures(folder / "data")
    box = [X1 / WIDTH, Y1 / HEIGHT, (X2 - X1) / WIDTH, (Y2 - Y1) / HEIGHT]

    def field(boxes):
        return {"_cls": "Detections", "detections": [{"label": "nut", "bounding_box": one} for one in boxes]}
    sets.write(folder / "samples.json", {"samples": [
        {"filepath": f"data/{name}.jpg", "ground_truth": field([box]), "predictions": field([box, [0.5, 0.5, 0.2, 0.2]])} for name in files.NAMES]})


@sets.layout("VIA", "CSV: via.csv beside the pictures")
def via_csv(folder):
    files.pictures(folder)
    shape = json.dumps({"name": "rect", "x": X1, "y": Y1, **files.size()})
    sets.rows(folder / "via.csv", files.NAMES, "filename file_size file_attributes region_count region_id region_shape_attributes region_attributes".split(),
              lambda name: [f"{name}.jpg", 1, "{}", 1, 0, shape, json.dumps({"class": "nut"})])


def table(folder, separator, index):
    files.pictures(folder)
    header = separator.join(([""] if index else []) + ["filename", "xmin", "ymin", "xmax", "ymax", "class"])
    lines = [separator.join(([str(i)] if index else []) + [f"{name}.jpg", *map(str, sets.BOX), "nut"]) for i, name in enumerate(files.NAMES)]
    sets.write(folder / "boxes.csv", "\n".join([header, *lines]) + "\n")


@sets.layout("a spreadsheet", "boxes.csv with semicolons")
def semicolons(folder):
    table(folder, ";", False)


@sets.layout("a spreadsheet", "boxes.csv with tabs")
def tabs(folder):
    table(folder, "\t", False)


@sets.layout("pandas", "boxes.csv with the column of its index")
def pandas_index(folder):
    table(folder, ",", True)


def packed(folder, write):
    write(folder / "set")
    names = sorted(path for path in (folder / "set").rglob("*") if path.is_file())
    return names, folder / "set"


@sets.layout("Roboflow", "COCO in a .zip: train/_annotations.coco.json, valid/...", sets.SPLIT)
def zipped(folder):
    names, start = packed(folder, sets.roboflow_coco)
    with zipfile.ZipFile(folder / "set.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(name, name.relative_to(start))
    shutil.rmtree(start)
    return folder / "set.zip"


@sets.layout("Ultralytics", "data.yaml, images, labels in a .tar.gz", sets.SPLIT)
def tarred(folder):
    names, start = packed(folder, yolo_obb)
    with tarfile.open(folder / "set.tar.gz", "w:gz") as archive:
        for name in names:
            archive.add(name, name.relative_to(start.parent))
    shutil.rmtree(start)
    return folder / "set.tar.gz"
