#!/usr/bin/env python3
"""Writes the first inputs of the corpus: good files of every format, small, some of them of other programs (tests/golden).
usage: .deps/test/bin/python tests/fuzz/make_seeds.py [--bin build/ci/bin] [--to tests/fuzz/corpus]"""
import argparse
import bz2
import gzip
import json
import lzma
import pathlib
import shutil
import subprocess
import tempfile

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
EXPORTS = GOLDEN / "annotations/exports"
LABELS = {
    "cifar-classes": "\n".join("abcdefghij") + "\n",
    "coco": '{"images":[{"id":5,"file_name":"2.jpg","width":64,"height":48}],"annotations":[{"image_id":5,"category_id":2,"bbox":[1,1.5,2e0,2],'
            '"area":4,"iscrowd":0,"segmentation":[[1,2,9,2,9,9]]}],"categories":[{"id":2,"name":"d\\u00e9j\\u00e0"}]}',
    "createml": '[{"image":"1.jpg","annotations":[{"label":"cat","coordinates":{"x":10,"y":10,"width":4,"height":4}}]}]',
    "csv": 'path,x1,y1,x2,y2,class\n"1.jpg",1,2.5,30,40,cat\n2.jpg,5,6,70,80,"do""g"\n2.jpg,,,,,\n',
    "darknet": "classes = 2\nnames = obj.names\ntrain = train.txt\nbackup = backup/\n",
    "fiftyone": '{"classes":["cat"],"labels":{"1":[{"label":0,"bounding_box":[0.1,0.1,0.2,0.2]}]}}',
    "huggingface": '{"file_name":"1.jpg","objects":{"bbox":[[1,1,4,4]],"categories":[0]}}\n',
    "keras": "1.jpg 1,2,30,40,0 5,6,70,80,1\n2.jpg\n",
    "kitti": "Car 0.00 0 -1.57 10.0 10.0 20.0 20.0 1.5 1.6 3.7 2.8 1.7 10.2 -1.6\nDontCare -1 -1 -10 1.0 1.0 5.0 5.0 -1 -1 -1 -1000 -1000 -1000 -10\n",
    "label-studio": '[{"data":{"image":"/data/1.jpg"},"annotations":[{"result":[{"original_width":64,"original_height":48,"type":"rectanglelabels",'
                    '"value":{"x":10,"y":10,"width":20,"height":20,"rotation":30,"rectanglelabels":["cat"]}}]}]}]',
    "labelbox": '{"data_row":{"external_id":"1.jpg"},"media_attributes":{"width":64,"height":48},"projects":{"p":{"labels":[{"annotations":'
                '{"objects":[{"name":"cat","bounding_box":{"top":1,"left":1,"height":5,"width":5}}]}}]}}}\n',
    "labelme": '{"version":"5.4.1","shapes":[{"label":"a\\u00e9","shape_type":"rectangle","points":[[1.5,2],[3e1,40]]},{"label":"b","points":[[1,1],'
               '[2,5],[9,3]]}],"imagePath":"1.jpg","imageData":"aGVsbG8=","imageHeight":48,"imageWidth":64}',
    "open-images": "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf\n1,x,/m/1,1,0.1,0.5,0.1,0.5,0,0,1\n",
    "supervisely": '{"size":{"width":64,"height":48},"objects":[{"classTitle":"nut","geometryType":"rectangle","points":{"exterior":[[10,20],[40,40]],"interior":[]}}]}',
    "via": '{"1.jpg1":{"filename":"1.jpg","regions":[{"shape_attributes":{"name":"rect","x":1,"y":2,"width":3,"height":4},"region_attributes":{"class":"nut"}}]}}',
    "voc": "<annotation><filename>1.jpg</filename><size><width>64</width><height>48</height></size><object><name>a&amp;b</name><difficult>0</difficult>"
           "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>",
    "voc-lists": "1 1\n2 -1\n",
    "yolo": "0 0.5 0.5 0.25 0.25\n1 .1 .2 .1 .1\n0 0.1 0.1 0.5 0.1 0.5 0.5\n",
    "yolo-data": 'path: .\ntrain: [images]\nval: list.txt\nnc: 2\nnames: {0: cat, 1: "dog"}\n',
    "yolo-list": "./images/1.jpg\nimages/2.jpg\n",
}
MORE = {
    "yolo-data": ["names: [cat]\n", "train: images\nval: images\nvalid: images/2.jpg\nnames: [a, b]\n", "train: images\nval: images\ntest: nowhere\nnames: [a]\n",
                  "path: /elsewhere\ntrain: set/images\nval: other/images\nnames: [a]\n", "train: /mnt/set/images\nval: ../images\nnames: [a]\nkpt_shape: [2, 3]\n"],
    "cifar-classes": ["a\nb\n", "a\na\n" + "\n".join("cdefghij"), "\n".join("abcdefghijk")],
}
EXPORTED = {"cvat": "cvat/train.xml", "label-studio": "label_studio/project.json", "via": "via/via.json", "kitti": "kitti/train/label_2/a.txt",
            "coco": "coco/annotations/instances_train.json", "open-images": "open_images/annotations/train-annotations-bbox.csv"}
TEXTS = {
    "coco-results": '[{"image_id":1,"category_id":2,"bbox":[1,2,3,4],"score":0.5},{"image_id":"a.jpg","category_id":"cat","bbox":[1,2,3,4],"score":1}]',
    "coco-ground-truth": LABELS["coco"],
    "configuration": 'size = 416\ninput = ["a", "b"]\nrebuild = true\n',
    "quarantine": '{"time":"2026-11-28T02:00:00Z","generation":1,"where":"2.jpg","what":"is cut short","fix":"restore it"}\n{"where":1}\n{"time":',
    "graph": '{"version":1,"model":"small","loss":"yolov3","classes":1,"side":16,"ignore_iou":0.25,"anchors":[4.5,4.0],"outputs":[3],"layers":['
             '{"name":"images","kind":"input","inputs":[],"channels":3,"stage":"backbone"},{"name":"a","kind":"conv","inputs":[0],"channels":6,"kernel":3,'
             '"stride":2,"padding":1,"norm":true,"norm_epsilon":0.001,"norm_momentum":0.03,"activation":"leaky_relu","stage":"backbone"},'
             '{"name":"b","kind":"max_pool","inputs":[1],"channels":6,"kernel":2,"padding_end":1,"stage":"neck"},'
             '{"name":"c","kind":"head","inputs":[2],"channels":6,"head_stride":2,"anchor_mask":[0],"stage":"head"}]}',
}
TEXTS["checkpoint"] = json.dumps(
    {"version": 2, "graph": json.loads(TEXTS["graph"]), "letterbox": {"fill": 114, "place": "centre", "resize": "linear", "rounding": "nearest", "scale": "fit"}, "stored_side": 32, "classes": ["nut"],
     "snapshot_generation": 1, "snapshot_digest": "00ff", "position": 8, "step": 4, "epochs_done": 1, "figures": {"map50": 0.5, "loss": None},
     "configuration": '{"batch":2}', "state": "{}", "tiles": {"overlap": 0.2, "scale": 0.5, "background": 1}})
TEXTS["run-state"] = json.dumps(
    {"step": 4, "epochs_done": 1, "elapsed_s": 0.5, "best": {"value": 0.25, "stalled": 0}, "stopping": {"value": None, "stalled": 2},
     "plateau": {"value": 1, "stalled": 1}, "plateau_reduction": 0.1, "plateau_cooling": 3, "best_map": 0.25, "best_map50": 0.5, "best_epoch": 1,
     "last_metrics": [{"map50": 0.5}], "skipped_steps": 1, "steps_without_target": 1, "most_map50": 0.5, "first_loss": 9, "most_epoch_loss": 8,
     "last_epoch_loss": 7, "first_step": 0, "first_epoch": 0, "known_snapshot": 1, "background_losses": [0, 4], "epoch_terms": [1, 2.5],
     "epoch_normaliser": 3, "epoch_samples": 2, "epoch_train_s": 0.25, "epoch_waited_s": 0})
PIN = {"generation": 1, "run": "out", "host": "a", "folder": "/out", "expires": 1800000000}
MAGIC = {"bmp": (b"BM",), "jpeg": (b"\xff\xd8",), "png": (b"\x89PNG\r\n\x1a\n",), "tiff": (b"II*\0",), "webp": (b"RIFF",)}
ENDING = {"jpeg": "jpg"}


def labels():
    for name, text in LABELS.items():
        yield f"labels-{name}", text.encode()
    for name, texts in MORE.items():
        for text in texts:
            yield f"labels-{name}", text.encode()
    for name, path in EXPORTED.items():
        yield f"labels-{name}", (EXPORTS / path).read_bytes()
    batch = (GOLDEN / "annotations/cifar/test_batch.bin").read_bytes()
    for content in (batch, batch[:100], b"\x0b" + batch[1:]):
        yield "labels-cifar", content
    for name in ("gnu", "odd", "pax", "ustar"):
        content = (GOLDEN / f"annotations/tar/{name}.tar").read_bytes().rstrip(b"\0")
        content += bytes(-len(content) % 512 + 1024)
        yield "tar", content
        if name == "ustar":
            for compress in (gzip.compress, bz2.compress, lzma.compress):
                yield "tar-compressed", compress(content)

    for name in ("odd", "stream", "zip64"):
        yield "zip", (GOLDEN / f"annotations/zip/{name}.zip").read_bytes()[4:]


def pictures():
    for name, (magic,) in MAGIC.items():
        for path in sorted((GOLDEN / "pictures").glob(f"*.{ENDING.get(name, name)}")):
            content = path.read_bytes()
            if content.startswith(magic):
                yield f"picture-{name}", content[len(magic):]
    exif = (GOLDEN / "pictures/exif.jpg").read_bytes()
    at = exif.index(b"Exif\0\0") + 6
    yield "picture-exif", exif[at : at + 120]
    yield "picture-any", (GOLDEN / "annotations/cifar/test_batch.bin").read_bytes()
    yield "picture-any", (GOLDEN / "pictures/grey.jpg").read_bytes()


def weights():
    folder = GOLDEN / "weights"
    yield "pin", b"\1" + json.dumps(PIN).encode()
    for path in sorted(folder.glob("*"), key=lambda path: (path.suffix == ".keras", path)):
        content = path.read_bytes()
        if (len(content) > 20000 and path.suffix != ".keras") or path.suffix == ".py":
            continue
        if content.startswith(b"\x89HDF"):
            yield "weights-keras", content[8:]
        elif content.startswith(b"PK\3\4"):
            yield "weights-pytorch", content[4:]
        else:
            yield "weights-any", content
        if path.suffix == ".safetensors":
            yield "safetensors", content
    yield "pickle", (folder / "pytorch_old.pt").read_bytes()
    yield "pickle", b"\x80\x02}q\x00(X\x05\x00\x00\x00modelq\x01ctorch._utils\n_rebuild_tensor_v2\nq\x02K\x01\x85q\x03Rq\x04u."
    yield "onnx-metadata", b"\x08\x07\x3a\x02\x12\0\x72\x0b\x0a\x04side\x12\x03416\x72\x0e\x0a\x07classes\x12\x03[1]"
    yield "weights-darknet", b"\5\0\0\0" + bytes(8) + b"\0\0\x80\x3f" * 6


def outlined_set(folder):
    """A polygon: plans of labels that have an outline are of a format of their own."""
    picture = next(path for path in sorted((folder / "set").rglob("*")) if path.suffix in (".jpg", ".png"))
    copy = folder / "polygon" / picture.name
    copy.parent.mkdir()
    shutil.copy(picture, copy)
    shape = {"label": "nut", "shape_type": "polygon", "points": [[4, 4], [40, 8], [30, 44], [8, 30]]}
    copy.with_suffix(".json").write_text(json.dumps({"shapes": [shape], "imagePath": picture.name}))
    return copy.parent


def other_shards(file):
    """Shards that are none of this program's."""
    def changed(change):
        copy = file.with_suffix(".changed")
        shutil.copy(file, copy)
        copy.chmod(0o644)
        with h5py.File(copy, "r+") as shard:
            change(shard)
        return copy.read_bytes()

    yield changed(lambda shard: shard.attrs.modify("schema", 99))
    yield changed(lambda shard: shard.attrs.modify("schema", 0))
    yield changed(lambda shard: shard.attrs.modify("colour_order", "BGR"))
    for name in ("images", "boxes", "label"):
        yield changed(lambda shard: [shard.pop(name), shard.create_dataset(name, data=[1.5, 2.5])])


def store(folder, programs):
    def run(*words):
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout

    run(ROOT / "samples/draw.py", folder / "set", "--pictures", "2")
    common = ["--input", folder / "set/train.txt", "--classes", folder / "set/classes.txt", "--views", "1"]
    for name, flags in {"plain": ["--size", "32"], "compressed": ["--size", "32", "--compress", "deflate"], "tiles": ["--tile", "32", "--scale", "0.1"]}.items():
        run(programs / "letterpress-preprocess", "build", "--store", folder / name, *common, *flags)
        snapshot = json.loads((folder / name / "snapshots/00000001.json").read_text())
        yield "snapshot", bytes([snapshot["format"]]) + json.dumps(snapshot["snapshot"]).encode()
        yield "recipe-json", snapshot["snapshot"]["identity"]["recipe_json"].encode()
        yield "ledger", (folder / name / "snapshots/00000001.ledger.h5").read_bytes()
        shard = min((folder / name / "shards").iterdir(), key=lambda path: path.stat().st_size)
        yield "shard", shard.read_bytes()
        if name == "plain":
            yield from (("shard", content) for content in other_shards(shard))
    def planned(name, *flags):
        said = run(programs / "letterpress-preprocess", "plan", "--store", folder / name, "--size", "32", *flags)
        plan = pathlib.Path(said.strip().splitlines()[-1].removeprefix("plan "))
        return plan if plan.is_file() else plan / "plan.h5"

    plan = planned("planned", *common)
    yield "plan", plan.read_bytes()
    yield "plan", planned("outlined", "--input", outlined_set(folder), "--views", "1").read_bytes()
    run(programs / "letterpress-preprocess", "map", "--plan", plan.parent, "--part", "0/1")
    for path in plan.parent.glob("*.json"):
        sealed = json.loads(path.read_text())
        if "record" in sealed:
            dead = {"dead": [{"row": 1, "status": 2, "what": "is cut short", "fix": "restore it"}, {"row": 0, "status": 2, "reason": "cut"}]}
            for record in (sealed["record"], sealed["record"] | dead):
                yield "record", bytes([sealed["format"]]) + json.dumps(record).encode()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/ci/bin")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "tests/fuzz/corpus")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        inputs = [*labels(), *pictures(), *weights(), *((name, text.encode()) for name, text in TEXTS.items()),
                  *(("recipe", path.read_bytes()) for path in sorted((ROOT / "preprocess/recipe/shipped").glob("*.toml"))),
                  *store(pathlib.Path(folder), options.bin.resolve())]
    for at, (target, content) in enumerate(inputs):
        path = options.to / target / f"seed-{sum(name == target for name, _ in inputs[:at])}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
