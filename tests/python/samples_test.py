"""A sample of samples/python, run on a small store as a user would; what it prints is held against h5py where it prints content.

usage: samples_test.py NAME       exit 77 where the packages that its docstring names are not installed
"""

import importlib.util
import re
import subprocess
import sys
import unittest

import letterpress
import numpy as np
from drawn_store import ROOT, SIDE, drawn_store, pictures_in_order, rows_of

NAME = sys.argv.pop(1)
SAMPLE = ROOT / "samples" / "python" / f"{NAME}.py"


def missing_packages():
    needs = re.search(r"^needs: pip install (.+)$", SAMPLE.read_text(), re.M)[1].split()
    return [package for package in needs if not importlib.util.find_spec(package)]


def module():
    """The sample's functions and classes."""
    spec = importlib.util.spec_from_file_location(NAME, SAMPLE)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def boxes_of(row):
    """By h5py: centre, width and height as shares of the frame, and classes."""
    corners, classes = row["boxes"][: row["box_count"], :4], row["boxes"][: row["box_count"], 4]
    sides = corners[:, 2:] - corners[:, :2]
    return np.hstack([corners[:, :2] + sides / 2, sides]) / SIDE, classes


def run_sample(store, *flags):
    result = subprocess.run([sys.executable, "-B", str(SAMPLE), str(store), *flags], capture_output=True, text=True, cwd=store.parent)
    if result.returncode != 0:
        raise AssertionError(f"exit code {result.returncode}:\n{result.stderr[-3000:]}")
    return result.stdout


class Sample(unittest.TestCase):
    def test_it_is_short(self):
        self.assertLessEqual(len(SAMPLE.read_text().splitlines()), 60)

    def test_it_runs(self):
        with drawn_store() as store:
            getattr(self, NAME)(store)

    def torchvision_detector(self, store):
        out = run_sample(store, "--epochs", "2", "--batch", "4")
        losses = [float(loss) for loss in re.findall(r"^epoch \d/2: \d+ steps, loss ([\d.]+), ", out, re.M)]
        self.assertEqual(len(losses), 2)
        self.assertLess(losses[1], losses[0])

    def torch_dataset(self, store):
        out = run_sample(store, "--workers", "2")
        pictures, rows = pictures_in_order(store, "train"), rows_of(store)
        n, boxes = len(pictures), sum(rows[picture, 0]["box_count"] for picture in pictures)
        batches = [-(-n * epoch // 8) for epoch in (1, 2)]
        self.assertEqual(out.splitlines(), [
            f"epoch 0: {batches[0]} batches, {8 * batches[0]} rows",
            f"epoch 1: {batches[1] - batches[0]} batches, {8 * (batches[1] - batches[0])} rows",
            f"{n} pictures one by one: {boxes} boxes"])

    def detr_targets(self, store):
        sample, rows = module(), rows_of(store)
        batch = next(iter(letterpress.Loader(letterpress.open(store), "train", batch=4, order="once")))
        targets = sample.targets_of(batch, SIDE)
        self.assertEqual([target["image_id"] for target in targets], pictures_in_order(store, "train")[:4])
        for target in targets:
            boxes, classes = boxes_of(rows[target["image_id"], 0])
            np.testing.assert_allclose(target["boxes"].numpy(), boxes, atol=1e-6)
            for name in ("class_labels", "labels"):
                np.testing.assert_array_equal(target[name].numpy(), classes)
            np.testing.assert_allclose(target["area"].numpy(), boxes[:, 2] * boxes[:, 3] * SIDE**2, rtol=1e-5)
        out = run_sample(store, "--steps", "3")
        self.assertEqual(len(re.findall(r"^step \d: \d+ boxes, loss \d+\.\d{4}$", out, re.M)), 3)

    def ultralytics_trainer(self, store):
        sample, rows = module(), rows_of(store)
        batches = list(sample.Batches(letterpress.open(store), "val", 4, "once", 1))
        pictures = pictures_in_order(store, "val")
        self.assertEqual([name for batch in batches for name in batch["im_file"]], [f"{picture:016x}" for picture in pictures])
        for batch in batches:
            of_row = batch["batch_idx"].numpy()
            for i, name in enumerate(batch["im_file"]):
                row = rows[int(name, 16), 0]
                boxes, classes = boxes_of(row)
                np.testing.assert_array_equal(batch["img"][i].permute(1, 2, 0).numpy(), row["images"])
                np.testing.assert_allclose(batch["bboxes"].numpy()[of_row == i], boxes, atol=1e-6)
                np.testing.assert_array_equal(batch["cls"].numpy()[of_row == i, 0], classes)
        out = run_sample(store, "--epochs", "1", "--batch", "4")
        self.assertRegex(out, r"(?m)^mAP50 0\.\d{4}, mAP50-95 0\.\d{4}$")


if __name__ == "__main__":
    if absent := missing_packages():
        print(f"skipped: {', '.join(absent)} not installed")
        sys.exit(77)
    unittest.main()
