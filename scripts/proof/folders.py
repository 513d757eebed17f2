"""Builds from sets that other tools export (exports_sets.py), whose labels and pictures are found by looking: what a folder that cannot be listed or a
file that cannot be opened hides must not be taken for what is not there."""
import os
import time

import exports_sets
import exports_shapes  # adds layouts
from works import Work

LAYOUTS = ("roboflow_yolo", "labelimg_yolo", "cvat_yolo", "roboflow_darknet", "roboflow_coco", "roboflow_voc", "voc_split_folders", "roboflow_csv", "labelme_splits",
           "cvat_images", "supervisely", "via", "kitti", "hugging_face", "zipped", "tarred")


def written(files, layout):
    """(what --input is given, further flags) of a set below files.sample, written when it is not there."""
    *_, flags, function = next(entry for entry in exports_sets.LAYOUTS if entry[-1].__name__ == layout)
    folder = files.sample / layout
    if not folder.exists():
        folder.mkdir()
        files.labels[layout] = function(folder) or folder
        for path in (folder, *folder.rglob("*")):
            os.utime(path, (time.time() - 86400,) * 2)
        time.sleep(2.1)  # as in Files.draw
    return files.labels[layout], [flag.format(folder=folder) for flag in flags]


def build(layout):
    def words(files):
        labels, flags = written(files, layout)
        return files.preprocess("build", "--store", files.store, "--input", labels, "--size", "32", "--views", "1", "--max-removed", "100%", "--max-rejects", "100%",
                                "--threads", "1", "--json", *flags)

    return words


FOLDERS = [Work(f"build of {layout}", lambda files: None, build(layout)) for layout in LAYOUTS]
