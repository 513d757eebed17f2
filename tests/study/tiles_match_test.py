"""What scripts/study/tiles_match.py makes of labels and detections: cases by hand. usage: tiles_match_test.py [unittest's arguments]"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/study"))

import numpy as np  # noqa: E402
from tiles_match import ap50, found_at_precision, match, of_crops, of_pictures  # noqa: E402

OVERLAP = 64
PICTURE = pathlib.Path("a.png")


def detection(box, score, kind=0):
    return {"box": box, "score": score, "class": kind}


def matched(detections, labels):
    rows = np.array([[*one["box"], one["score"], one["class"]] for one in detections], float).reshape(-1, 6)
    return match(rows, np.array(labels, float).reshape(-1, 5)).tolist()


class Match(unittest.TestCase):
    def test_half_an_overlap_is_enough_and_less_is_not(self):
        label = [0, 0, 10, 10, 0]
        self.assertEqual(matched([detection([0, 0, 10, 5], 0.5)], [label]), [0])  # 50 / 100
        self.assertEqual(matched([detection([0, 0, 10, 4.9], 0.5)], [label]), [-1])

    def test_a_label_is_found_once_and_the_best_score_has_it(self):
        label = [0, 0, 10, 10, 0]
        self.assertEqual(matched([detection([0, 0, 10, 10], 0.5), detection([0, 0, 10, 9], 0.6)], [label]), [-1, 0])

    def test_a_detection_of_another_class_finds_nothing(self):
        self.assertEqual(matched([detection([0, 0, 10, 10], 0.5, kind=1)], [[0, 0, 10, 10, 0]]), [-1])

    def test_of_two_labels_the_one_with_more_overlap_is_found(self):
        labels = [[0, 0, 10, 10, 0], [0, 2, 10, 12, 0]]
        self.assertEqual(matched([detection([0, 2, 10, 12], 0.5)], labels), [1])

    def test_none_of_either_is_no_match(self):
        self.assertEqual(matched([], [[0, 0, 10, 10, 0]]), [])
        self.assertEqual(matched([detection([0, 0, 10, 10], 0.5)], []), [-1])


class Counts(unittest.TestCase):
    boxes = [[0, 0, 10, 10, 0], [100, 100, 164, 164, 0], [200, 200, 265, 220, 1]]  # the third is longer than the overlap

    def test_short_and_long_objects_are_counted_apart(self):
        found = {"a.png": [detection([0, 0, 10, 10], 0.9), detection([200, 200, 265, 220], 0.8, kind=1), detection([50, 50, 60, 60], 0.7),
                           detection([200, 200, 220, 220], 0.6, kind=1)]}
        counts = of_pictures([(PICTURE, self.boxes)], found, OVERLAP)
        self.assertEqual(counts, {"objects": 2, "found": 1, "long": 1, "long_found": 1, "detections": 4, "false": 2, "false_on_long": 1})

    def test_a_picture_in_which_nothing_was_found_counts(self):
        counts = of_pictures([(PICTURE, self.boxes)], {}, OVERLAP)
        self.assertEqual([counts["objects"], counts["found"], counts["detections"]], [2, 0, 0])

    def test_a_crop_counts_for_the_object_in_its_middle_alone(self):
        crops = [{"crop": "a-0.png", "picture": "a.png", "x": 0, "y": 0, "label": 0}, {"crop": "a-1.png", "picture": "a.png", "x": 50, "y": 60, "label": 1},
                 {"crop": "a-2.png", "picture": "a.png", "x": 100, "y": 100, "label": 2}]
        found = {"a-0.png": [detection([100, 100, 164, 164], 0.9)],  # another object's
                 "a-1.png": [detection([50, 40, 114, 104], 0.9)],  # its own, in the crop's pixels
                 "a-2.png": [detection([100, 100, 165, 120], 0.9, kind=1)]}
        self.assertEqual(of_crops([(PICTURE, self.boxes)], crops, found, OVERLAP), {"objects": 2, "found": 1, "long": 1, "long_found": 1})


class FoundAtPrecision(unittest.TestCase):
    boxes = [[20 * i, 0, 20 * i + 10, 10, 0] for i in range(5)]

    def test_confidence_falls_until_too_many_are_wrong(self):
        wrong = [500, 500, 510, 510]
        found = [detection(box[:4], score) for box, score in zip(self.boxes, (0.9, 0.8, 0.6, 0.5, 0.4))] + [detection(wrong, 0.7), detection(wrong, 0.3)]
        # right of all, score by score: 1/1 2/2 2/3 3/4 4/5 5/6 5/7
        self.assertEqual(found_at_precision([(PICTURE, self.boxes)], {"a.png": found}), {"1": 2, "0.95": 2, "0.9": 2, "0.8": 5})

    def test_nothing_found_is_zero(self):
        self.assertEqual(found_at_precision([(PICTURE, self.boxes)], {}), {"1": 0, "0.95": 0, "0.9": 0, "0.8": 0})


class AveragePrecision(unittest.TestCase):
    def test_one_of_two_classes_is_half(self):
        pictures = [(PICTURE, [[0, 0, 10, 10, 0], [20, 20, 30, 30, 1]])]
        self.assertAlmostEqual(ap50(pictures, {"a.png": [detection([0, 0, 10, 10], 0.9)]}), 0.5)

    def test_more_than_a_hundred_detections_of_a_picture_count(self):
        boxes = [[20 * i, 0, 20 * i + 10, 10, 0] for i in range(150)]
        found = {"a.png": [detection(box[:4], 0.9) for box in boxes]}
        self.assertAlmostEqual(ap50([(PICTURE, boxes)], found), 1)

    def test_nothing_found_is_zero(self):
        self.assertEqual(ap50([(PICTURE, [[0, 0, 10, 10, 0]])], {}), 0)


if __name__ == "__main__":
    unittest.main()
