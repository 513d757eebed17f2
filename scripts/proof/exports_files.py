"""The layouts of exports.py that are one label file beside folders of pictures."""
import exports_sets as sets

NAMES = sets.TRAIN + sets.VAL


def pictures(folder):
    for name in NAMES:
        sets.picture(folder / f"{name}.jpg")


def size():
    x1, y1, x2, y2 = sets.BOX
    return {"width": x2 - x1, "height": y2 - y1}


@sets.layout("CreateML, Roboflow", "train/_annotations.createml.json, valid/...", sets.SPLIT)
def createml(folder):
    x1, y1, x2, y2 = sets.BOX
    for split, names in {"train": sets.TRAIN, "valid": sets.VAL}.items():
        for name in names:
            sets.picture(folder / split / f"{name}.jpg")
        sets.write(folder / split / "_annotations.createml.json", [
            {"image": f"{name}.jpg", "annotations": [{"label": "nut", "coordinates": {"x": (x1 + x2) / 2, "y": (y1 + y2) / 2, **size()}}]} for name in names])


@sets.layout("FiftyOne", "FiftyOneImageDetectionDataset: labels.json, data")
def fiftyone(folder):
    pictures(folder / "data")
    box = [sets.BOX[0] / sets.SIDE[0], sets.BOX[1] / sets.SIDE[1], size()["width"] / sets.SIDE[0], size()["height"] / sets.SIDE[1]]
    sets.write(folder / "labels.json", {"classes": ["nut"], "labels": {name: [{"label": 0, "bounding_box": box}] for name in NAMES}})


@sets.layout("Label Studio", "JSON: project.json, images")
def label_studio_json(folder):
    pictures(folder / "images")
    value = {"x": 100 * sets.BOX[0] / sets.SIDE[0], "y": 100 * sets.BOX[1] / sets.SIDE[1], "width": 100 * size()["width"] / sets.SIDE[0],
             "height": 100 * size()["height"] / sets.SIDE[1], "rotation": 0, "rectanglelabels": ["nut"]}
    result = {"original_width": sets.SIDE[0], "original_height": sets.SIDE[1], "type": "rectanglelabels", "value": value}
    sets.write(folder / "project.json", [{"id": i, "data": {"image": f"/data/upload/1/{name}.jpg"}, "annotations": [{"result": [result]}]}
                                         for i, name in enumerate(NAMES)])


@sets.layout("Labelbox", "export.ndjson, images")
def labelbox(folder):
    import json
    pictures(folder / "images")
    box = {"name": "nut", "bounding_box": {"left": sets.BOX[0], "top": sets.BOX[1], **size()}}
    sets.write(folder / "export.ndjson", "".join(json.dumps({
        "data_row": {"external_id": f"{name}.jpg"}, "media_attributes": {"width": sets.SIDE[0], "height": sets.SIDE[1]},
        "projects": {"p": {"labels": [{"annotations": {"objects": [box]}}]}}}) + "\n" for name in NAMES))


@sets.layout("makesense.ai", "labels.csv, images")
def makesense(folder):
    pictures(folder / "images")
    sets.write(folder / "labels.csv", "".join(f"nut,{sets.BOX[0]},{sets.BOX[1]},{size()['width']},{size()['height']},{name}.jpg,{sets.SIDE[0]},"
                                              f"{sets.SIDE[1]}\n" for name in NAMES))


@sets.layout("TensorFlow", "train_labels.csv, test_labels.csv; images/train, images/test", {"test": 2, "train": 4})
def tensorflow(folder):
    for split, names in {"train": sets.TRAIN, "test": sets.VAL}.items():
        for name in names:
            sets.picture(folder / "images" / split / f"{name}.jpg")
        sets.rows(folder / f"{split}_labels.csv", names, "filename width height class xmin ymin xmax ymax".split(),
                  lambda name: [f"{name}.jpg", *sets.SIDE, "nut", *sets.BOX])


@sets.layout("Open Images", "train-annotations-bbox.csv, validation-..., class-descriptions-boxable.csv; train, validation", sets.SPLIT)
def open_images(folder):
    sets.write(folder / "class-descriptions-boxable.csv", "/m/nut,nut\n")
    for split, names in {"train": sets.TRAIN, "validation": sets.VAL}.items():
        for name in names:
            sets.picture(folder / split / f"{name}.jpg")
        x1, y1, x2, y2 = (value / sets.SIDE[i % 2] for i, value in enumerate(sets.BOX))
        sets.rows(folder / f"{split}-annotations-bbox.csv", names, "ImageID Source LabelName Confidence XMin XMax YMin YMax IsOccluded IsTruncated IsGroupOf "
                  "IsDepiction IsInside".split(), lambda name: [name, "xclick", "/m/nut", 1, x1, x2, y1, y2, 0, 0, 0, 0, 0])
