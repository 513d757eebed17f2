"""The lists and the page of scripts/label_errors.py, the sets it works on, and what it says when it cannot. usage: lists_test.py [unittest's arguments]"""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(SCRIPTS / "labels"), str(SCRIPTS / "proof"), str(SCRIPTS)]

import label_errors  # noqa: E402
import page  # noqa: E402
import planted_labels  # noqa: E402
import ranking  # noqa: E402
import sets  # noqa: E402
from judge import Finding  # noqa: E402


def label(image, category=1, box=(1, 2, 3, 4)):
    return {"image_id": image, "category_id": category, "bbox": list(box)}


def finding(kind, image, score, confidence=0.5):
    known = None if kind == "missing" else label(image)
    seen = None if kind == "extra" else label(image, 2, (5, 6, 7, 8)) | {"score": confidence}
    return Finding(kind, known, seen, score, score)


WHOLE = {"images": [{"id": i, "file_name": f"/set/<{i}>.png", "where": f"labels {i}", "width": 40, "height": 30} for i in (1, 2, 3)],
         "categories": [{"id": 1, "name": "disc"}, {"id": 2, "name": "ring"}], "annotations": [label(1)] * 5 + [label(2)] * 2}
FOUND = [finding("missing", 2, 1.0), finding("missing", 2, 1.0), finding("extra", 1, 1.0), finding("swapped", 2, 0.5)]


class Lists(unittest.TestCase):
    def pictures(self):
        return ranking.worst_pictures([1, 2, 3], WHOLE["annotations"], FOUND)

    def test_pictures_come_by_the_share_of_their_objects_that_look_wrong(self):
        scores = [(one.image, one.score, one.kind) for one in self.pictures()]
        self.assertEqual(scores, [(2, 2.5 / (2 + 2 + 5), "missing"), (1, 1 / (5 + 5), "extra"), (3, 0, "")])

    def test_the_list_of_pictures_has_each_kind(self):
        rows = list(ranking.picture_rows(WHOLE, self.pictures()))
        self.assertEqual(rows[0], ["score", "kind", "missing", "extra", "shifted", "swapped", "path", "where"])
        self.assertEqual(rows[1], ["0.2778", "missing", "2.00", "0.00", "0.00", "0.50", "/set/<2>.png", "labels 2"])

    def test_the_list_of_boxes_has_label_and_prediction(self):
        _, missing, _, extra, swapped = ranking.box_rows(WHOLE, FOUND)
        self.assertEqual(missing, ["1.0000", "missing", "/set/<2>.png", "", "", "ring", "5.0 6.0 7.0 8.0", "0.500", "labels 2"])
        self.assertEqual(extra, ["1.0000", "extra", "/set/<1>.png", "disc", "1.0 2.0 3.0 4.0", "", "", "", "labels 1"])
        self.assertEqual(swapped[3:8], ["disc", "1.0 2.0 3.0 4.0", "ring", "5.0 6.0 7.0 8.0", "0.500"])

    def test_the_page_draws_labels_and_findings_over_the_picture_where_it_lies(self):
        text = page.page(WHOLE, self.pictures()[:1], pathlib.Path("/set/out"))
        self.assertIn('href="../&lt;2&gt;.png"', text)
        self.assertEqual(text.count("<rect"), 2 + 2 + 2)  # two labels, two missing ones, the swapped one and its prediction
        self.assertIn("missing 1.00: ring", text)
        self.assertNotIn("1. &lt;1&gt;.png", text)


class Sets(unittest.TestCase):
    def test_splits_become_one_set_whose_pictures_are_called_by_their_paths(self):
        part = {"images": [{"id": 7, "file_name": "1.png", "width": 4, "height": 3}], "categories": [], "annotations": [label(7) | {"id": 1}]}
        ledger = [{"split": split, "name": "1.png", "path": f"/{split}/1.png", "where": f"{split}.txt"} for split in ("train", "val")]
        whole = sets.united({"train": part, "val": part}, ledger)
        self.assertEqual([(one["id"], one["file_name"], one["where"]) for one in whole["images"]],
                         [(1, "/train/1.png", "train.txt"), (2, "/val/1.png", "val.txt")])
        self.assertEqual([(one["id"], one["image_id"]) for one in whole["annotations"]], [(1, 1), (2, 2)])

    def test_a_part_has_the_labels_of_its_pictures(self):
        part = sets.part_of(WHOLE, {2})
        self.assertEqual(([one["id"] for one in part["images"]], len(part["annotations"])), ([2], 2))


class Proof(unittest.TestCase):
    def test_kinds_below_the_bar_are_named_for_each_list(self):
        good = {"missing": [7, 10], "extra": [10, 10], "shifted": [9, 10], "swapped": [8, 10]}
        wanted = "Wanted: a recall of at least 0.7 in the first 15% of the list for each kind. "
        self.assertEqual(planted_labels.bar_text({"pictures": good, "boxes": good}), wanted + "By pictures, all kinds reach it; by boxes, all kinds reach it.")
        bad = good | {"missing": [69, 100], "extra": [1, 2]}
        self.assertEqual(planted_labels.bar_text({"pictures": good | {"swapped": [0, 4]}, "boxes": bad}),
                         wanted + "By pictures, swapped (0.00) is below it; by boxes, missing (0.69) and extra (0.50) are below it.")


class Messages(unittest.TestCase):
    def says(self, text, work):
        with self.assertRaises(sets.Failed) as raised:
            work()
        self.assertEqual(str(raised.exception), text)

    def test_a_program_that_fails_is_told_with_what_it_said(self):
        self.says("sh -c echo bad >&2; exit 3: exit 3: bad", lambda: sets.run("sh", "-c", "echo bad >&2; exit 3"))

    def test_a_set_without_boxes_and_folds_that_cannot_be(self):
        self.says("set/x: has no boxes; label errors are found in sets of boxes only", lambda: label_errors.check(WHOLE | {"annotations": []}, 4, ["set/x"]))
        for n in (1, 4):
            self.says(f"--folds is {n}, must be 2 to 3, the number of pictures", lambda n=n: label_errors.check(WHOLE, n, ["set"]))

    def test_labels_that_are_others_than_those_of_the_stopped_run(self):
        with tempfile.TemporaryDirectory() as work:
            file = pathlib.Path(work) / "fold-1.json"
            sets.write_once(WHOLE, file)
            self.assertEqual(sets.write_once(WHOLE, file), file)
            told = f"{file}: is of other pictures or labels; remove {file.parent.parent}, or give another folder"
            self.says(told, lambda: sets.write_once(WHOLE | {"annotations": []}, file))

    def test_a_program_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            said = label_errors.main(["--data", "set", "--out", f"{folder}/out", "--bin", folder])
        self.assertIn("letterpress-preprocess", said)
        self.assertIn("No such file", said)


if __name__ == "__main__":
    unittest.main()
