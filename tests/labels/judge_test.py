"""What scripts/labels/judge.py makes of labels and predictions: cases by hand. usage: judge_test.py [unittest's arguments]"""
import math
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/labels"))

from judge import COMMON, judge, overlap  # noqa: E402

FAR = 1000  # pixels between what has nothing to do with each other


def label(box, category=1, image=1, **more):
    return {"image_id": image, "category_id": category, "bbox": box, **more}


def prediction(box, score, category=1, image=1):
    return {"image_id": image, "category_id": category, "bbox": box, "score": score}


def found_ones(n, category=1, score=0.8, image=2):
    """n labels in another picture, each with a prediction in its place: what is usual for the class."""
    boxes = [[FAR * i, 0, 10, 10] for i in range(n)]
    return [label(box, category, image) for box in boxes], [prediction(box, score, category, image) for box in boxes]


def kinds(found):
    return [one.kind for one in found]


class Judge(unittest.TestCase):
    def test_overlap_is_intersection_over_union(self):
        self.assertAlmostEqual(overlap([0, 0, 10, 10], [5, 0, 10, 10]), 50 / 150)
        self.assertEqual(overlap([0, 0, 10, 10], [10, 0, 10, 10]), 0)
        self.assertEqual(overlap([0, 0, 0, 0], [0, 0, 0, 0]), 0)

    def test_labels_with_their_predictions_are_right(self):
        self.assertEqual(judge(*found_ones(5)), [])

    def test_a_confident_prediction_without_a_label_is_a_missing_label_by_its_rank_among_the_class(self):
        labels = [label([FAR * i, 0, 10, 10], image=2) for i in range(4)]
        predictions = [prediction(one["bbox"], score, image=2) for one, score in zip(labels, (0.5, 0.6, 0.6, 0.7))]
        found = judge(labels, [*predictions, prediction([0, 0, 10, 10], 0.6)])
        (missing,) = [one for one in found if one.kind == "missing"]
        self.assertAlmostEqual(missing.doubt, math.sqrt(3 / 4))  # three of four labels have no larger support
        self.assertIsNone(missing.label)
        self.assertEqual(missing.about["image_id"], 1)

    def test_a_prediction_beside_a_label_or_a_stronger_one_is_hardly_a_missing_label(self):
        labels, predictions = found_ones(3, image=1)
        for box, both in (([2, 0, 10, 10], 80 / 120), ([5, 0, 10, 10], 50 / 150)):
            with self.subTest(box=box):
                (missing,) = judge(labels, [*predictions, prediction(box, 0.8)])
                self.assertAlmostEqual(missing.doubt, 1 - both / 0.7)
        apart = [prediction([0, 100, 10, 10], 0.9), prediction([5, 100, 10, 10], 0.8)]
        second = judge(labels, [*predictions, *apart])[-1]
        self.assertAlmostEqual(second.doubt, 1 - 50 / 150 / 0.6)

    def test_a_label_that_no_prediction_supports_is_extra(self):
        labels, predictions = found_ones(3)
        (extra,) = judge([*labels, label([0, 0, 10, 10])], predictions)
        self.assertEqual((extra.kind, extra.doubt, extra.score), ("extra", 1, 1))

    def test_weak_support_is_held_against_what_is_usual_for_the_class(self):
        labels, predictions = found_ones(3)
        (extra,) = judge([*labels, label([0, 0, 10, 10])], [*predictions, prediction([0, 0, 10, 10], 0.2)])
        self.assertAlmostEqual(extra.doubt, 1 - 0.2 / 0.8)

    def test_a_label_beside_a_prediction_of_its_class_is_shifted(self):
        labels, predictions = found_ones(3)
        (shifted,) = judge([*labels, label([0, 0, 10, 10])], [*predictions, prediction([4, 0, 10, 10], 0.8)])
        self.assertEqual((shifted.kind, shifted.doubt), ("shifted", 1))
        self.assertEqual(shifted.prediction["bbox"], [4, 0, 10, 10])

    def test_a_label_in_the_place_of_a_prediction_of_another_class_is_swapped(self):
        (labels, predictions), (others, more) = found_ones(3), found_ones(3, category=2, image=3)
        known, seen = labels + others, predictions + more
        (swapped,) = judge([*known, label([0, 0, 10, 10], 2)], [*seen, prediction([0, 0, 10, 10], 0.8, 1)])
        self.assertEqual((swapped.kind, swapped.doubt), ("swapped", 1))
        (doubted,) = judge([*known, label([0, 0, 10, 10], 2)], [*seen, prediction([0, 0, 10, 10], 0.8, 1), prediction([0, 0, 10, 10], 0.8, 2)])
        self.assertEqual((doubted.kind, doubted.doubt), ("swapped", 0.25))  # as confident of the label's own class

    def test_objects_of_a_crowded_picture_do_not_explain_each_other(self):
        labels, predictions = found_ones(3)
        crowded = [label([0, 0, 10, 10]), label([4, 0, 10, 10])]
        found = judge([*labels, *crowded], [*predictions, prediction([2, 0, 10, 10], 0.8)])  # IoU 2/3 with both
        self.assertEqual(kinds(found), ["extra"])

    def test_labels_of_a_class_that_the_models_have_not_learnt_are_not_called_extra(self):
        labels, predictions = found_ones(3, category=2, image=3)
        unseen = [label([FAR * i, FAR, 10, 10], 2) for i in range(3)]
        self.assertEqual(judge(labels + unseen, predictions[:1]), [])
        self.assertEqual(kinds(judge(labels + unseen, predictions)), [])  # half of six labels have none

    def test_crowds_are_neither_judged_nor_missing_objects(self):
        labels, predictions = found_ones(3)
        crowd = label([0, 0, 100, 100], iscrowd=1)
        self.assertEqual(judge([*labels, crowd], [*predictions, prediction([0, 0, 10, 10], 0.9), prediction([95, 0, 10, 10], 0.9)]), [])
        self.assertEqual(kinds(judge([*labels, crowd], [*predictions, prediction([96, 0, 10, 10], 0.9)])), ["missing"])  # 4 of 10 pixels inside

    def test_a_finding_counts_the_less_the_more_are_stronger(self):
        labels, predictions = found_ones(9)
        more = [label([FAR * i, FAR, 10, 10]) for i in range(2)]
        first, second = judge(labels + more, [*predictions, prediction(more[1]["bbox"], 0.4)])
        self.assertEqual((first.doubt, first.score), (1, 1))
        self.assertAlmostEqual(second.doubt, 0.5)
        self.assertAlmostEqual(second.score, 0.5 * COMMON / (COMMON + 1 / 12))  # one stronger, 11 labels


if __name__ == "__main__":
    unittest.main()
