"""Writes a tiny set in each label format beside this script, and what a reader must find in it, as other programs see it.

    pip install numpy pycocotools; python3 make_samples.py

expected.txt of each format, one line per picture in label-file order:
    picture <name> <width> <height> <image id>
and one line per box below it: x1 y1 x2 y2 class-name flags area (flags: 1 crowd, 2 difficult; -1: not stated), source pixels.
COCO is read by pycocotools, the XML by xml.etree, CSV by the module csv, LabelMe by json and numpy, the others by plain split() and numpy float32.
CIFAR-10's records are written and read by numpy. A picture with a class of its own has a line `label class-name` below it. tar/*.tar are packed by tarfile, which also writes where each
member's bytes lie into tar/expected.txt: archive, offset, length, name. zip/*.zip are packed by zipfile, Info-ZIP's zip and 7z (Debian: zip,
7zip); zip/expected.txt has what zipfile reads back: archive, a text, how often the member repeats it, name.
The pictures are empty files: label readers never open them.
"""
import csv as csv_module
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy
from pycocotools.coco import COCO

HERE = pathlib.Path(__file__).parent
CLASSES = ["bolt", "nut", "washer"]
SIZE = {"a.jpg": (640, 480), "b 2.png": (101, 57), "déjà.jpg": (33, 44)}


def start(name, places):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(b"")
    return folder


def write_expected(folder, pictures):
    lines = []
    for name, width, height, image_id, boxes in pictures:
        lines.append(f"picture {width} {height} {image_id} {name}")
        for box in boxes:
            *corners, class_name, flags, area = box
            numbers = " ".join(repr(float(numpy.float32(value))) for value in corners)
            lines.append(f"{numbers} {class_name} {flags} {float(numpy.float32(area))!r}")
    (folder / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def coco():
    folder = start("coco", SIZE)
    images = [
        {"id": 900, "file_name": "a.jpg", "width": 640, "height": 480},
        {"id": 7, "file_name": "b 2.png", "width": 101, "height": 57},
        {"id": 12, "file_name": "déjà.jpg", "width": 33, "height": 44},
    ]
    annotations = [
        {"id": 1, "image_id": 7, "category_id": 90, "bbox": [1.5, 2.25, 30.1, 20], "area": 55.5, "iscrowd": 0},
        {"id": 2, "image_id": 900, "category_id": 3, "bbox": [0, 0, 640, 480], "area": 307200, "iscrowd": 1,
         "segmentation": {"counts": [5, 9, 307186], "size": [480, 640]}},
        {"id": 3, "image_id": 7, "category_id": 17, "bbox": [90, 50, 10.75, 6.5], "area": 61, "iscrowd": 0,
         "segmentation": [[90, 50, 100, 50, 100, 56]]},
        {"id": 4, "image_id": 900, "category_id": 17, "bbox": [10.33, 20.67, 1e2, 2.5e1], "area": 2500.25, "iscrowd": 0},
    ]
    categories = [{"id": 90, "name": "washer"}, {"id": 3, "name": "bolt"}, {"id": 17, "name": "nut"}]
    path = folder / "instances.json"
    path.write_text(json.dumps({"info": {"year": 2024}, "annotations": annotations, "categories": categories, "images": images}),
                    encoding="utf-8")
    dataset = COCO(str(path))
    pictures = []
    for image in dataset.dataset["images"]:
        boxes = []
        for annotation in dataset.loadAnns(dataset.getAnnIds(imgIds=image["id"])):
            x, y, w, h = annotation["bbox"]
            name = dataset.loadCats(annotation["category_id"])[0]["name"]
            boxes.append((x, y, x + w, y + h, name, annotation["iscrowd"], annotation["area"]))
        pictures.append((image["file_name"], image["width"], image["height"], image["id"], boxes))
    write_expected(folder, pictures)


XML = """<annotation><folder>JPEGImages</folder><filename>{filename}</filename>
<size><width>{width}</width><height>{height}</height><depth>3</depth></size>{objects}</annotation>
"""
OBJECT = """<object><name>{}</name><difficult>{}</difficult><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>
<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part></object>
"""


def voc():
    folder = start("voc", [f"JPEGImages/{name}" for name in SIZE])
    objects = {
        "a.jpg": [("nut", 0, 1, 1, 640, 480), ("bolt", 1, 17, 20, 18, 99)],
        "b 2.png": [],
        "déjà.jpg": [("washer", 0, 10.5, 3, 33, 44)],
    }
    (folder / "Annotations").mkdir(exist_ok=True)
    (folder / "ImageSets" / "Main").mkdir(parents=True, exist_ok=True)
    pictures = []
    for name, (width, height) in SIZE.items():
        path = folder / "Annotations" / (pathlib.Path(name).stem + ".xml")
        text = "".join(OBJECT.format(*entry) for entry in objects[name])
        path.write_text(XML.format(filename=name, width=width, height=height, objects=text), encoding="utf-8")
        boxes = []
        for entry in ElementTree.parse(path).getroot().findall("object"):
            box = {side.tag: float(side.text) for side in entry.find("bndbox")}
            difficult = 2 * int(entry.find("difficult").text)
            # 1-based inclusive pixels: the first starts at xmin - 1, the last ends at xmax.
            boxes.append((box["xmin"] - 1, box["ymin"] - 1, box["xmax"], box["ymax"], entry.find("name").text, difficult, -1))
        pictures.append((name, width, height, -1, boxes))
    (folder / "ImageSets" / "Main" / "train.txt").write_text("".join(pathlib.Path(name).stem + "\n" for name in SIZE), encoding="utf-8")
    write_expected(folder, pictures)


def yolo():
    folder = start("yolo", [f"images/train/{name}" for name in SIZE])
    labels = {"a.jpg": "1 0.5 0.5 1 1\n2 0.25 0.75 0.1 0.2\n", "déjà.jpg": "0 0.333333 0.125 0.3 0.25\r\n"}
    (folder / "labels" / "train").mkdir(parents=True, exist_ok=True)
    pictures = []
    for name, (width, height) in SIZE.items():
        boxes = []
        if name in labels:
            label = folder / "labels" / "train" / (pathlib.Path(name).stem + ".txt")
            label.write_bytes(labels[name].encode())
            for line in labels[name].split("\n"):
                if not line.strip():
                    continue
                class_id, x, y, w, h = line.split()
                x, w = float(x) * width, float(w) * width
                y, h = float(y) * height, float(h) * height
                boxes.append((x - w / 2, y - h / 2, x + w / 2, y + h / 2, CLASSES[int(class_id)], 0, -1))
        pictures.append((name, width, height, -1, boxes))
    (folder / "data.yaml").write_text("path: .\ntrain: images/train\nnc: 3  # checked\nnames: {0: bolt, 1: nut, 2: washer}\n")
    write_expected(folder, pictures)


def keras():
    folder = start("keras", [f"pictures/{name}" for name in SIZE])
    lines = ["pictures/a.jpg 1,2,30,40,0 5.5,6,70,80.25,2", "pictures/b 2.png", "pictures/déjà.jpg 0,0,33,44,1"]
    (folder / "train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "classes.txt").write_text("\n".join(CLASSES) + "\n")
    pictures = []
    for line, name in zip(lines, SIZE):
        boxes = []
        for field in line[len(f"pictures/{name}"):].split():
            *corners, class_id = field.split(",")
            boxes.append((*map(float, corners), CLASSES[int(class_id)], 0, -1))
        pictures.append((f"pictures/{name}", *SIZE[name], -1, boxes))
    write_expected(folder, pictures)


def csv():
    folder = start("csv", [f"pictures/{name}" for name in SIZE])
    rows = [["pictures/a.jpg", 1, 2, 30, 40, "bolt"], ["pictures/b 2.png", "", "", "", "", ""],
            ["pictures/déjà.jpg", 0, 0.125, 33, 44, 'nut,"M8"'], ["pictures/a.jpg", 5.5, 6, 70, 80.25, "washer"]]
    path = folder / "boxes.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv_module.writer(file)
        writer.writerow(["filename", "xmin", "ymin", "xmax", "ymax", "class"])
        writer.writerows(rows)
    boxes = {name: [] for name in SIZE}
    with open(path, encoding="utf-8", newline="") as file:
        for name, *corners, label in list(csv_module.reader(file))[1:]:
            if label:
                boxes[pathlib.Path(name).name].append((*map(float, corners), label, 0, -1))
    write_expected(folder, [(f"pictures/{name}", *SIZE[name], -1, boxes[name]) for name in SIZE])


def labelme():
    folder = start("labelme", [f"pictures/{name}" for name in SIZE])
    shapes = {
        "a.jpg": [("bolt", "rectangle", [[30, 40.5], [1.25, 2]]), ("nut", "polygon", [[5, 6], [70.5, 9], [33, 80.25], [8, 60]])],
        "b 2.png": [],
        "déjà.jpg": [("washer", "rectangle", [[0, 0], [33, 44]])],
    }
    pictures = []
    for name, (width, height) in SIZE.items():
        listed = [{"label": label, "points": points, "group_id": None, "shape_type": kind, "flags": {}} for label, kind, points in shapes[name]]
        document = {"version": "5.4.1", "flags": {}, "shapes": listed, "imagePath": f"pictures\\{name}" if name == "a.jpg" else f"pictures/{name}",
                    "imageData": "aGVsbG8=" * 10, "imageHeight": height, "imageWidth": width}
        path = folder / (pathlib.Path(name).stem + ".json")
        path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        boxes = []
        for shape in json.loads(path.read_text(encoding="utf-8"))["shapes"]:
            points = numpy.array(shape["points"], dtype=numpy.float64)
            boxes.append((*points.min(axis=0), *points.max(axis=0), shape["label"], 0, -1))
        pictures.append((f"pictures/{name}", width, height, -1, boxes))
    write_expected(folder, pictures)


def folder():
    names = {"nut/a.jpg": "nut", "bolt/b 2.png": "bolt", "washer/deep/déjà.jpg": "washer"}
    folder = start("folder", names)
    lines = []
    for name, label in sorted(names.items()):
        width, height = SIZE[pathlib.Path(name).name]
        lines += [f"picture {width} {height} -1 {name}", f"label {label}"]
    (folder / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def cifar():
    """Three records and the same in a tar; pixels.rgb: what they show, [3, 32, 32, 3], as the published reader of CIFAR-10 turns them."""
    folder = start("cifar", [])
    names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    (folder / "batches.meta.txt").write_text("\n".join(names) + "\n\n")
    planes = numpy.random.default_rng(10).integers(0, 256, (3, 3, 32, 32), dtype=numpy.uint8)
    planes[:, 0, :4], planes[:, 1, :4], planes[:, 2, :4] = 250, 20, 90  # a stripe that shows turned planes
    records = [numpy.concatenate([[label], picture.reshape(-1)]).astype(numpy.uint8).tobytes() for label, picture in zip((9, 0, 3), planes)]
    batches = {"data_batch_1.bin": records[:2], "test_batch.bin": records[2:]}
    with tarfile.open(folder / "cifar-10.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in [("batches.meta.txt", [(folder / "batches.meta.txt").read_bytes()]), *batches.items()]:
            (folder / name).write_bytes(b"".join(content))
            add(archive, f"cifar-10-batches-bin/{name}", b"".join(content))
    lines, pixels = [], b""
    for name in sorted(batches):
        raw = numpy.fromfile(folder / name, dtype=numpy.uint8).reshape(-1, 3073)
        pixels += raw[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).tobytes()
        for i, label in enumerate(raw[:, 0]):
            lines += [f"picture 32 32 -1 {name}/{i}", f"label {names[label]}"]
    (folder / "pixels.rgb").write_bytes(pixels)
    (folder / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def add(archive, name, content=b"", **attributes):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in attributes.items():
        setattr(info, key, value)
    archive.addfile(info, io.BytesIO(content))


def tar():
    folder = start("tar", [])
    # 99 bytes fit into a header, 100 do; ustar splits longer names at a slash, the others write a header of its own.
    long_class = "n" * 60
    names = ["./bolt/a.jpg", "bolt/déjà b.jpg", f"{long_class}/{'p' * 60}.jpg", f"{long_class}/{'q' * 35}.png", f"{long_class}/{'r' * 34}.png"]
    lines = []
    for kind, form in (("ustar", tarfile.USTAR_FORMAT), ("pax", tarfile.PAX_FORMAT), ("gnu", tarfile.GNU_FORMAT)):
        path = folder / f"{kind}.tar"
        with tarfile.open(path, "w", format=form) as archive:
            add(archive, "bolt", type=tarfile.DIRTYPE)
            for i, name in enumerate(names):
                add(archive, name, f"picture {i}".encode() * 100 * i)
            if kind != "ustar":
                deep = "/".join([long_class] * 6) + "/deep.jpg"
                add(archive, deep, b"deep")
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    lines.append(f"{kind}.tar {member.offset_data} {member.size} {member.name.removeprefix('./')}")
    (folder / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with tarfile.open(folder / "odd.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        add(archive, "cat/1.jpg", b"old")
        add(archive, "dog/2.jpg", b"second")
        add(archive, "cat/1.jpg", b"newer")
        add(archive, "../outside.jpg", b"x")
        add(archive, "/etc/absolute.jpg", b"x")
        add(archive, "cat/../../escape.jpg", b"x")
        add(archive, "cat/hard.jpg", type=tarfile.LNKTYPE, linkname="dog/2.jpg")
        add(archive, "cat/lost.jpg", type=tarfile.LNKTYPE, linkname="dog/none.jpg")
        add(archive, "cat/soft.jpg", type=tarfile.SYMTYPE, linkname="1.jpg")
        add(archive, "cat/holes.jpg", b"x", pax_headers={"GNU.sparse.major": "1"})
        add(archive, "cat/pipe.jpg", type=tarfile.FIFOTYPE)


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then writes sizes and checksums behind each member."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, content):
        return self.file.write(content)

    def close(self):
        self.file.close()
        super().close()


def entry(name, system=3, attributes=0):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr, info.compress_type = system, attributes, zipfile.ZIP_DEFLATED
    return info


def zips():
    folder = start("zip", [])
    shutil.rmtree(folder)
    folder.mkdir()
    names = {"bolt/a.jpg": 1, "bolt/déjà b.jpg": 40, "nut/c.png": 90}
    texts = {name: f"picture {name[0]}{times}," for name, times in names.items()}
    packers = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "stream": zipfile.ZIP_DEFLATED, "zip64": zipfile.ZIP_DEFLATED}
    for kind, method in packers.items():
        limit = zipfile.ZIP64_LIMIT
        zipfile.ZIP64_LIMIT = 0 if kind == "zip64" else limit  # everything then is in the fields of zip64
        with zipfile.ZipFile(Pipe(folder / "stream.zip") if kind == "stream" else folder / f"{kind}.zip", "w", method) as archive:
            for name, times in names.items():
                archive.writestr(zipfile.ZipInfo(name) if kind == "stored" else name, texts[name] * times)
        zipfile.ZIP64_LIMIT = limit
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        for name, times in names.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(texts[name] * times)
        for command in (["zip", "-qr", folder / "infozip.zip"], ["zip", "-qr", "--password", "x", folder / "locked.zip"], ["7z", "a", folder / "7z.zip"],
                        ["7z", "a", "-mem=AES256", "-px", folder / "aes.zip"], ["7z", "a", "-mm=Deflate64", folder / "deflate64.zip"]):
            subprocess.run([*map(str, command), "bolt", "nut"], cwd=root, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})
        os.symlink("a.jpg", root / "bolt/soft.jpg")
        subprocess.run(["zip", "-qr", "--symlinks", folder / "links.zip", "bolt", "nut"], cwd=root, check=True)
    lines = []
    for kind in (*packers, "infozip", "7z"):
        with zipfile.ZipFile(folder / f"{kind}.zip") as archive:
            for name, times in names.items():
                # Info-ZIP writes UTF-8 without saying so.
                written = name if name in archive.namelist() else name.encode().decode("cp437")
                assert archive.read(written) == texts[name].encode() * times
                lines.append(f"{kind}.zip {texts[name].replace(' ', '_')} {times} {name}")
    (folder / "expected.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with zipfile.ZipFile(folder / "odd.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (("cat/1.jpg", "old"), ("dog/2.jpg", "second"), ("cat/1.jpg", "newer"), ("../outside.jpg", "x"), ("/etc/absolute.jpg", "x"),
                              ("cat/../../escape.jpg", "x"), ("__MACOSX/cat/._1.jpg", "x"), ("cat/more.ZIP", "PK"), ("raw/set.tar.gz", "x")):
            archive.writestr(entry(name), content)
        archive.writestr(entry("dog\\windows.jpg", system=0), "third")


for make in (coco, voc, yolo, keras, csv, labelme, folder, cifar, tar, zips):
    make()
