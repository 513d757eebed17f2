"""The layouts of exports.py that packages write themselves."""
import contextlib
import io

import exports_sets as sets

FROM_0 = ("--voc-origin", "0")  # these two write the corners as they are, counted from 0


def supervision_set(folder):
    import numpy
    import supervision
    paths = []
    for name in sets.TRAIN + sets.VAL:
        paths.append(str(folder / "source" / f"{name}.jpg"))
        sets.picture(folder / "source" / f"{name}.jpg")
    boxes = {path: supervision.Detections(xyxy=numpy.array([sets.BOX], float), class_id=numpy.array([0])) for path in paths}
    return supervision.DetectionDataset(classes=["nut"], images=paths, annotations=boxes)


@sets.layout("supervision", "as_yolo: data.yaml, images, labels", written_by="supervision")
def supervision_yolo(folder):
    supervision_set(folder).as_yolo(str(folder / "out/images"), str(folder / "out/labels"), str(folder / "out/data.yaml"))
    return folder / "out"


@sets.layout("supervision", "as_coco: annotations.json, images", written_by="supervision")
def supervision_coco(folder):
    supervision_set(folder).as_coco(str(folder / "out/images"), str(folder / "out/annotations.json"))
    return folder / "out"


@sets.layout("supervision", "as_pascal_voc: annotations, images", written_by="supervision")
def supervision_voc(folder):
    supervision_set(folder).as_pascal_voc(str(folder / "out/images"), str(folder / "out/annotations"))
    return folder / "out"


def pylabel_set(folder):
    from pylabel import importer
    for name in sets.TRAIN + sets.VAL:
        sets.picture(folder / "out/images" / f"{name}.jpg")
    sets.write(folder / "source.json", sets.coco(sets.TRAIN + sets.VAL))
    return importer.ImportCoco(str(folder / "source.json"), path_to_images="out/images", name="set")


@sets.layout("PyLabel", "ExportToVoc: labels/*.xml, images", written_by="pylabel", flags=FROM_0)
def pylabel_voc(folder):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pylabel_set(folder).export.ExportToVoc(str(folder / "out/labels"))
    return folder / "out"


@sets.layout("PyLabel", "ExportToCoco: coco.json, images", written_by="pylabel")
def pylabel_coco(folder):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pylabel_set(folder).export.ExportToCoco(str(folder / "out/coco.json"))
    return folder / "out"


def globox_set(folder):
    import globox
    for name in sets.TRAIN + sets.VAL:
        sets.picture(folder / "out/images" / f"{name}.jpg")
    sets.write(folder / "source.json", sets.coco(sets.TRAIN + sets.VAL))
    return globox.AnnotationSet.from_coco(folder / "source.json")


@sets.layout("globox", "save_pascal_voc: labels, images", written_by="globox", flags=FROM_0)
def globox_voc(folder):
    globox_set(folder).save_pascal_voc(folder / "out/labels")
    return folder / "out"


@sets.layout("globox", "save_labelme: labels, images", written_by="globox")
def globox_labelme(folder):
    globox_set(folder).save_labelme(folder / "out/labels")
    return folder / "out"


@sets.layout("globox", "save_yolo_v5: labels, images", written_by="globox", flags=("--classes", "{folder}/names.txt"))
def globox_yolo(folder):
    globox_set(folder).save_yolo_v5(folder / "out/labels", label_to_id={"nut": 0})
    sets.write(folder / "names.txt", "nut\n")
    return folder / "out"
