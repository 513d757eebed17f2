"""The layouts of exports.py that Datumaro, which CVAT exports with, and Label Studio's own converter write."""
import contextlib
import io
import json

import exports_sets as sets

CONFIG = '<View><Image name="image" value="$image"/><RectangleLabels name="label" toName="image"><Label value="nut"/></RectangleLabels></View>'


def datumaro_set(folder, format_name):
    import datumaro
    from datumaro.components.media import Image
    x1, y1, x2, y2 = sets.BOX
    items = []
    for split, name in sets.splits():
        path = folder / "source" / f"{name}.jpg"
        sets.picture(path)
        box = datumaro.Bbox(x1, y1, x2 - x1, y2 - y1, label=0, id=1, group=1)
        items.append(datumaro.DatasetItem(id=name, subset=split, media=Image.from_file(path=str(path)), annotations=[box]))
    datumaro.Dataset.from_iterable(items, categories=["nut"]).export(str(folder / "out"), format_name, save_media=True)
    return folder / "out"


def add_datumaro(format_name, shown, flags=()):
    def write(folder):
        return datumaro_set(folder, format_name)
    write.__name__ = f"datumaro_{format_name}"
    sets.layout("Datumaro", f"{format_name}: {shown}", sets.SPLIT, written_by="datumaro", flags=flags)(write)


add_datumaro("coco_instances", "annotations/instances_train.json, ...; images/train, ...")
add_datumaro("cvat", "train.xml, val.xml; images")
add_datumaro("voc_detection", "Annotations, JPEGImages, ImageSets/Main/train.txt, val.txt; labelmap.txt", ("--voc-origin", "0"))
add_datumaro("yolo", "obj.data, obj.names, train.txt, val.txt; obj_train_data, obj_val_data")
add_datumaro("yolo_ultralytics", "data.yaml, train.txt, val.txt; images/train, labels/train, ...")
add_datumaro("kitti_detection", "train/image_2, train/label_2, val/...")
add_datumaro("label_me", "Annotations/train/*.xml, Annotations/val/*.xml; Images/train, ...")
add_datumaro("open_images", "annotations/train-annotations-bbox.csv, class-descriptions.csv; images/train, ...")


def convert(folder, format_name):
    from label_studio_sdk.converter import Converter
    from label_studio_sdk.converter.converter import Format
    x1, y1, x2, y2 = sets.BOX
    value = {"x": 100 * x1 / sets.SIDE[0], "y": 100 * y1 / sets.SIDE[1], "width": 100 * (x2 - x1) / sets.SIDE[0],
             "height": 100 * (y2 - y1) / sets.SIDE[1], "rotation": 0, "rectanglelabels": ["nut"]}
    result = {"id": "r", "type": "rectanglelabels", "from_name": "label", "to_name": "image", "original_width": sets.SIDE[0],
              "original_height": sets.SIDE[1], "image_rotation": 0, "value": value}
    tasks = []
    for i, name in enumerate(sets.TRAIN + sets.VAL):
        sets.picture(folder / "out" / "images" / f"{name}.jpg")
        tasks.append({"id": i + 1, "data": {"image": f"/data/upload/1/{name}.jpg"}, "annotations": [{"id": i + 1, "result": [result]}]})
    source = folder / "tasks.json"
    source.write_text(json.dumps(tasks))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        Converter(config=CONFIG, project_dir=str(folder), download_resources=False).convert(
            str(source), str(folder / "out"), Format.from_string(format_name), is_dir=False)
    return folder / "out"


def add_label_studio(format_name, shown, labels=None, flags=()):
    def write(folder):
        out = convert(folder, format_name)
        return out / labels if labels else out
    write.__name__ = f"label_studio_{format_name.lower()}"
    sets.layout("Label Studio", f"{format_name}: {shown}", written_by="label_studio_sdk", flags=flags)(write)


add_label_studio("COCO", "result.json, images")
add_label_studio("VOC", "Annotations, images", flags=("--voc-origin", "0"))
add_label_studio("YOLO", "labels, images, classes.txt, notes.json")
add_label_studio("JSON_MIN", "result.json beside images")
