"""What scripts/labels/plant.py does to a set. usage: plant_test.py [unittest's arguments]"""
import collections
import copy
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/labels"))

import plant  # noqa: E402
from judge import KINDS, overlap  # noqa: E402

SIDE = 400


def a_set(pictures=10, labels=4):
    """Boxes of 40 x 20 in rows."""
    images = [{"id": i, "file_name": f"{i}.png", "width": SIDE, "height": SIDE} for i in range(1, pictures + 1)]
    boxes = [(image["id"], [100 * j, 100, 40, 20]) for image in images for j in range(labels)]
    annotations = [{"id": i, "image_id": image, "category_id": 1 + i % 3, "bbox": box, "area": 800, "iscrowd": 0} for i, (image, box) in enumerate(boxes, 1)]
    return {"images": images, "annotations": annotations, "categories": [{"id": i, "name": str(i)} for i in (1, 2, 3)]}


def by_id(whole):
    return {one["id"]: one for one in whole["annotations"]}


class Plant(unittest.TestCase):
    def setUp(self):
        self.right = a_set()
        before = copy.deepcopy(self.right)
        self.wrong, self.planted = plant.in_pictures(self.right, share=0.4, of_boxes=0.3, seed=1)
        self.assertEqual(self.right, before)

    def changes(self, kind):
        """(before, after) of the labels that a kind changed; None where there is none."""
        pictures = {one["image_id"] for one in self.planted if one["kind"] == kind}
        old, new = by_id(self.right), by_id(self.wrong)
        ids = sorted(i for i in old.keys() | new.keys() if old.get(i) != new.get(i))
        return [(old.get(i), new.get(i)) for i in ids if (old.get(i) or new.get(i))["image_id"] in pictures]

    def test_each_kind_is_planted_in_a_picture_of_its_own_in_a_share_of_its_boxes_rounded_up(self):
        self.assertEqual(collections.Counter(one["kind"] for one in self.planted), {kind: 2 for kind in KINDS})  # 0.3 of 4: two boxes
        self.assertEqual(len({one["image_id"] for one in self.planted}), 4)
        self.assertEqual([len(self.changes(kind)) for kind in KINDS], [2] * 4)

    def test_missing_labels_are_gone(self):
        self.assertTrue(all(after is None for _, after in self.changes("missing")))

    def test_extra_labels_lie_where_there_are_none(self):
        for before, after in self.changes("extra"):
            self.assertIsNone(before)
            others = [one for one in self.wrong["annotations"] if one["image_id"] == after["image_id"] and one is not after]
            self.assertLessEqual(max(overlap(one["bbox"], after["bbox"]) for one in others), 0.1)

    def test_shifted_labels_move_by_three_to_five_tenths_of_their_sides_and_stay_in_the_picture(self):
        for before, after in self.changes("shifted"):
            (x, y, width, height), moved = before["bbox"], after["bbox"]
            self.assertEqual(moved[2:], [width, height])
            for by, side in ((moved[0] - x, width), (moved[1] - y, height)):
                self.assertTrue(0.3 <= abs(by) / side <= 0.5, by)
            self.assertTrue(0 <= moved[0] <= SIDE - width)

    def test_swapped_labels_are_of_another_class_in_the_same_place(self):
        for before, after in self.changes("swapped"):
            self.assertNotEqual(before["category_id"], after["category_id"])
            self.assertEqual(before["bbox"], after["bbox"])

    def test_the_seed_decides(self):
        self.assertEqual(plant.in_pictures(self.right, 0.4, 0.3, 1), (self.wrong, self.planted))
        self.assertNotEqual(plant.in_pictures(self.right, 0.4, 0.3, 2)[1], self.planted)


if __name__ == "__main__":
    unittest.main()
