"""Writes what other programs export of three pictures into exports/, for exports_test.cpp.

    pip install datumaro==1.13.12 globox==2.9.0 label-studio-sdk==2.1.2 numpy pillow; python3 make_exports.py

Datumaro writes CVAT's XML, KITTI, Open Images, Darknet's obj.data (CVAT's "YOLO 1.1") and COCO; Globox writes VIA's JSON; Label Studio's own
converter makes JSON-MIN, COCO and YOLO of project.json, which is written here as its documentation has it. The pictures themselves are left
out: label readers never open them.
"""
import json
import pathlib
import shutil
import tempfile

import datumaro
import numpy
from datumaro.components.annotation import Bbox
from datumaro.components.media import Image
from globox import Annotation, AnnotationSet, BoundingBox
from label_studio_sdk.converter import Converter
from PIL import Image as Pillow

OUT = pathlib.Path(__file__).parent / "exports"
CLASSES = ["bolt", "nut"]
BOXES = {"a.jpg": [("bolt", 10, 20, 40, 60)], "b.jpg": [("nut", 5, 6, 25, 36), ("bolt", 50, 10, 70, 40)], "c.jpg": []}
WIDTH, HEIGHT = 100, 80
CONFIGURATION = """<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image">
<Label value="bolt"/><Label value="nut"/></RectangleLabels></View>"""


def result(label, x1, y1, x2, y2):
    value = {"rotation": 0, "x": x1 * 100 / WIDTH, "y": y1 * 100 / HEIGHT, "width": (x2 - x1) * 100 / WIDTH,
             "height": (y2 - y1) * 100 / HEIGHT, "rectanglelabels": [label]}
    return {"id": "x", "type": "rectanglelabels", "from_name": "label", "to_name": "image", "original_width": WIDTH,
            "original_height": HEIGHT, "image_rotation": 0, "value": value}


def label_studio(pictures):
    tasks = [{"id": i + 1, "data": {"image": f"/data/upload/1/0a1b2c3d-{name}"},
              "annotations": [{"id": 1, "result": [result(*box) for box in boxes]}]} for i, (name, boxes) in enumerate(BOXES.items())]
    project = OUT / "label_studio" / "project.json"
    project.parent.mkdir(parents=True)
    project.write_text(json.dumps(tasks))
    converter = Converter(CONFIGURATION, str(OUT), upload_dir=str(pictures), download_resources=False)
    converter.convert_to_json_min(str(project), str(OUT / "label_studio_min"), is_dir=False)
    converter.convert_to_coco(str(project), str(OUT / "label_studio_coco"), is_dir=False)
    converter.convert_to_yolo(str(project), str(OUT / "label_studio_yolo"), is_dir=False)


def main(pictures):
    shutil.rmtree(OUT, ignore_errors=True)
    items, boxes = [], AnnotationSet()
    for name, objects in BOXES.items():
        Pillow.fromarray(numpy.full((HEIGHT, WIDTH, 3), 90, numpy.uint8)).save(pictures / name)
        items.append(datumaro.DatasetItem(
            id=name.removesuffix(".jpg"), subset="train", media=Image.from_file(path=str(pictures / name)),
            annotations=[Bbox(x1, y1, x2 - x1, y2 - y1, label=CLASSES.index(label)) for label, x1, y1, x2, y2 in objects]))
        boxes.add(Annotation(image_id=name, image_size=(WIDTH, HEIGHT), boxes=[
            BoundingBox(label=label, xmin=x1, ymin=y1, xmax=x2, ymax=y2) for label, x1, y1, x2, y2 in objects]))
    dataset = datumaro.Dataset.from_iterable(items, categories=CLASSES)
    for folder, name in [("cvat", "cvat"), ("kitti", "kitti_detection"), ("open_images", "open_images"), ("darknet", "yolo"), ("coco", "coco")]:
        dataset.export(str(OUT / folder), name, save_media=False)
    (OUT / "via").mkdir()
    boxes.save_via_json(OUT / "via" / "via.json", image_folder=pictures)
    label_studio(pictures)


with tempfile.TemporaryDirectory() as folder:
    main(pathlib.Path(folder))
