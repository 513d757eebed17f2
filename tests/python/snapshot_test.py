"""letterpress.open, splits and rows, held against h5py."""

import contextlib
import gc
import json
import os
import pickle
import tempfile
import unittest

from drawn_store import PREPROCESS, SIDE, VIEWS, drawn_store, flip_bit, offset_of_row, pictures_in_order, rows_of, run, snapshot_of

import letterpress
import numpy as np


def mapped_file(array):
    """Path of the file that the array's first byte is mapped from; empty where it is the process's own memory."""
    address = array.__array_interface__["data"][0]
    with open("/proc/self/maps") as maps:
        for line in maps:
            first, last = (int(word, 16) for word in line.split()[0].split("-"))
            if first <= address < last:
                return line.split(maxsplit=5)[5].strip() if len(line.split()) > 5 else ""
    return ""


class Store(unittest.TestCase):
    FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(drawn_store(*cls.FLAGS))
        cls.stored = rows_of(cls.folder)

    def setUp(self):
        self.snapshot = letterpress.open(self.folder)

    def assert_equals_stored(self, row, stored):
        used = stored["box_count"]
        np.testing.assert_array_equal(row.image, stored["images"])
        np.testing.assert_array_equal(row.boxes, stored["boxes"][:used])
        np.testing.assert_array_equal(row.flags, stored["box_flags"][:used])
        np.testing.assert_array_equal(row.areas, stored["box_area"][:used])
        np.testing.assert_array_equal(row.source_to_frame, stored["letterbox"].reshape(2, 3))
        self.assertEqual(row.source_size, tuple(stored["source_size"]))
        self.assertEqual(row.label, stored["label"])
        self.assertEqual((row.picture_id, row.view), (stored["picture_id"], stored["view"]))
        self.assertEqual(row.picture, stored["name"])
        self.assertEqual(row.place, f"{stored['path']}: row {stored['row']} ({stored['name']})")

    def test_rows_are_what_h5py_reads_in_the_order_of_the_hashes(self):
        seen = 0
        for name in self.snapshot.splits:
            split, wanted = self.snapshot[name], pictures_in_order(self.folder, name)
            self.assertEqual([split[i].picture_id for i in range(len(split))], wanted)
            for i, picture in enumerate(wanted):
                self.assertEqual(split.views(i), VIEWS if name == "train" else 0)
                for view in range(split.views(i) + 1):
                    self.assert_equals_stored(split[i, view], self.stored[picture, view])
                    seen += 1
        self.assertEqual(seen, len(self.stored))

    def test_a_snapshot_says_what_its_file_says(self):
        said = snapshot_of(self.folder)
        self.assertEqual(self.snapshot.classes, said["classes"])
        self.assertEqual(self.snapshot.splits, ["train", "val"])
        self.assertEqual((self.snapshot.side, self.snapshot.views), (SIDE, VIEWS))
        np.testing.assert_array_equal(self.snapshot.anchors, said["statistics"]["anchors"])
        self.assertEqual(self.snapshot.max_boxes, said["statistics"]["max_boxes"])
        recipe = json.loads(said["identity"]["recipe_json"])
        self.assertEqual(self.snapshot.letterbox, recipe["letterbox"])
        provenance = self.snapshot.provenance
        self.assertEqual((provenance["generation"], provenance["seed"]), (1, 1))
        self.assertEqual(provenance["digest"], said["logical_digest"])
        self.assertEqual(provenance["recipe"], recipe)

    def test_arrays_outlive_what_they_came_from(self):
        row = self.snapshot["val"][0]
        image, boxes, wanted = row.image, row.boxes, self.stored[row.picture_id, 0]
        del row, self.snapshot
        gc.collect()
        np.testing.assert_array_equal(image, wanted["images"])
        np.testing.assert_array_equal(boxes, wanted["boxes"][: wanted["box_count"]])

    def test_an_image_is_read_only_and_the_tables_are_the_holders(self):
        row, tables = self.snapshot["val"][0], ("boxes", "flags", "areas", "source_to_frame")
        self.assertFalse(row.image.flags.writeable)
        before = {name: getattr(row, name).copy() for name in tables}
        for name in tables:
            getattr(row, name)[...] = 7
        for name in tables:
            np.testing.assert_array_equal(getattr(row, name), before[name])
        self.assertEqual(row.boxes.shape, (len(row.flags), 5))
        anchors = self.snapshot.anchors.copy()
        self.snapshot.anchors[...] = 7
        np.testing.assert_array_equal(self.snapshot.anchors, anchors)
        batch = next(iter(letterpress.Loader(self.snapshot, "val", order="once")))
        at = list(batch.picture_ids).index(row.picture_id)
        np.testing.assert_array_equal(batch.boxes[at, : batch.counts[at]], before["boxes"])

    def test_pickles_are_opened_again(self):
        snapshot, split = pickle.loads(pickle.dumps((self.snapshot, self.snapshot["val"])))
        self.assertEqual(repr(snapshot), f"<letterpress.Snapshot 1 of {self.folder}>")
        self.assert_equals_stored(split[1], self.stored[split[1].picture_id, 0])
        row = pickle.loads(pickle.dumps(self.snapshot["train"][1, 2]))
        self.assert_equals_stored(row, self.stored[row.picture_id, 2])

    def test_a_pickle_names_the_store_wherever_a_process_works(self):
        with contextlib.chdir(self.folder.parent):
            pickled = pickle.dumps(letterpress.open(self.folder.name)["val"])
        with contextlib.chdir("/"):
            self.assertEqual(len(pickle.loads(pickled)), len(self.snapshot["val"]))

    def test_a_pickle_of_no_row_is_refused(self):
        row = self.snapshot["val"][0]
        for shard, number in ((-1, 0), (99, 0), (0, -1), (0, 10**6)):
            with self.assertRaisesRegex(letterpress.Error, f"row {number} of shard {shard}, which the snapshot does not have"):
                type(row).__new__(type(row)).__setstate__((self.snapshot, shard, number))

    def test_splits_and_rows_are_gone_through(self):
        self.assertEqual(list(self.snapshot), self.snapshot.splits)
        self.assertIn("val", self.snapshot)
        self.assertNotIn("trian", self.snapshot)
        self.assertNotIn(3, self.snapshot)
        self.assertNotIn("\udcff", self.snapshot)
        split = self.snapshot["val"]
        self.assertEqual([row.place for row in split], [split[i].place for i in range(len(split))])

    def test_a_forked_process_reads(self):
        split = self.snapshot["train"]
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                self.assert_equals_stored(split[0, 1], self.stored[split[0].picture_id, 1])
                os._exit(0)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Uncompressed(Store):
    def test_an_image_is_where_the_shard_is_mapped(self):
        row = self.snapshot["train"][2, 1]
        self.assertEqual(mapped_file(row.image), str(self.stored[row.picture_id, 1]["path"]))
        self.assertEqual(row.image.__array_interface__["data"], row.image.__array_interface__["data"])

    def test_a_bad_row_names_shard_row_and_picture_and_the_others_are_read(self):
        with drawn_store() as folder:
            stored = next(row for row in rows_of(folder).values() if row["view"] == 2)
            flip_bit(stored["path"], offset_of_row(stored["path"], stored["row"]) + 100)
            split = letterpress.open(folder)["train"]
            bad = next(i for i in range(len(split)) if split[i].picture_id == stored["picture_id"])
            for _ in range(2):
                with self.assertRaises(letterpress.Error) as raised:
                    split[bad, 2].image
            self.assertIn(f"{stored['path']}: row {stored['row']} ({stored['name']})", str(raised.exception))
            self.assertEqual(raised.exception.exit, 65)
            self.assertIn(str(stored["path"]), raised.exception.where)
            self.assertEqual(split[bad, 1].image.shape, (SIDE, SIDE, 3))

    def test_a_shard_that_is_cut_under_a_mapping_raises(self):
        with drawn_store() as folder:
            snapshot = letterpress.open(folder)
            stored = max(rows_of(folder).values(), key=lambda row: (row["view"] == 0, row["row"]))
            os.chmod(stored["path"], 0o644)
            os.truncate(stored["path"], offset_of_row(stored["path"], 0))
            cut = [split[i] for split in (snapshot["train"], snapshot["val"]) for i in range(len(split))]
            row = next(row for row in cut if row.picture_id == stored["picture_id"])
            with self.assertRaisesRegex(letterpress.Error, r"\.h5: row \d+ \(.*\): cut short, \d+ of \d+ bytes are there"):
                row.image


class Compressed(Store):
    FLAGS = ("--compress", "deflate")

    def test_an_image_is_a_copy_that_its_row_keeps(self):
        row = self.snapshot["train"][2, 1]
        self.assertEqual(row.image.__array_interface__["data"], row.image.__array_interface__["data"])
        self.assertFalse(mapped_file(row.image).endswith(".h5"))


class Tiles(unittest.TestCase):
    def test_rows_say_their_tile_and_the_boxes_that_it_cut(self):
        with drawn_store(pictures=6, tiled=True) as folder:
            stored = rows_of(folder, ("picture_id", "tile", "view"))
            seen, last = 0, (0, -1)
            for split in map(letterpress.open(folder).__getitem__, ("train", "val")):
                for i in range(len(split)):
                    clean = split[i]
                    for view in range(split.views(i) + 1):
                        row = split[i, view]
                        wanted = stored[row.picture_id, row.tile, view]
                        self.assertEqual((row.picture_id, row.tile), (clean.picture_id, clean.tile))
                        np.testing.assert_array_equal(row.image, wanted["images"])
                        np.testing.assert_array_equal(row.whole_boxes, wanted["whole_box"][: wanted["box_count"]])
                        seen += 1
                    if clean.picture_id == last[0]:
                        self.assertGreater(clean.tile, last[1])
                    last = clean.picture_id, clean.tile
            self.assertEqual(seen, len(stored))
            self.assertGreater(max(tile for _, tile, _ in stored), 0)
            for batch in letterpress.Loader(letterpress.open(folder), batch=5, views="clean"):
                for i, at in enumerate(zip(batch.picture_ids, batch.tiles, batch.views)):
                    np.testing.assert_array_equal(batch.images[i], stored[tuple(int(number) for number in at)]["images"])

    def test_whole_pictures_have_none(self):
        with drawn_store(pictures=3) as folder:
            snapshot = letterpress.open(folder)
            self.assertEqual((snapshot["val"][0].tile, snapshot["val"][0].whole_boxes), (None, None))
            self.assertFalse(next(iter(letterpress.Loader(snapshot, batch=2))).tiles.any())


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(drawn_store())
        cls.snapshot = letterpress.open(cls.folder)

    def test_what_is_not_there_is_named(self):
        for arguments, said in {
            (self.folder / "absent",): "absent",
            ("",): "no such folder",
            (self.folder, 7): "has no snapshot 7",
            (self.folder, "newest"): "snapshot: is 'newest', must be 'latest' or a number",
        }.items():
            with self.assertRaises(letterpress.Error) as raised:
                letterpress.open(*arguments)
            self.assertIn(said, str(raised.exception))
        with self.assertRaisesRegex(letterpress.Error, "snapshot 1 has no split 'trian'; there are: train, val"):
            self.snapshot["trian"]

    def test_names_that_are_not_utf8_are_told_as_python_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(os.fsencode(folder), b"n\xff")
            with self.assertRaisesRegex(letterpress.Error, "n\udcff: no such folder"):
                letterpress.open(other)
            os.symlink(self.folder, other)
            snapshot = letterpress.open(other)
            self.assertTrue(repr(snapshot).endswith("n\udcff>"))
            self.assertEqual(len(pickle.loads(pickle.dumps(snapshot))["val"]), len(self.snapshot["val"]))

    def test_places_outside_are_index_errors(self):
        split = self.snapshot["train"]
        n = len(split)
        self.assertEqual(split[-1].picture_id, split[n - 1].picture_id)
        for place in (n, -n - 1, (0, VIEWS + 1), (0, -1), 2**70):
            with self.assertRaises(IndexError):
                split[place]

    def test_only_whole_numbers_are_places(self):
        split = self.snapshot["train"]
        self.assertEqual(split[np.int64(1), np.uint8(2)].place, split[1, 2].place)
        for place, kind in ((True, "bool"), ([0, 1], "list"), (0.0, "float"), ("0", "str"), (slice(0, 2), "slice"), ((0, True), "bool"),
                            ((0, 1, 2), "tuple"), (None, "NoneType")):
            with self.assertRaisesRegex(TypeError, f"split\\[picture\\] or split\\[picture, view\\], whole numbers; got '{kind}'"):
                split[place]

    def test_a_store_without_a_snapshot_says_so(self):
        with drawn_store(pictures=3) as folder:
            for file in (folder / "snapshots").iterdir():
                file.unlink()
            with self.assertRaisesRegex(letterpress.Error, "nothing was published yet; run `letterpress-preprocess build` to its end"):
                letterpress.open(folder)

    def test_a_number_opens_that_snapshot(self):
        with drawn_store(pictures=6) as folder:
            run(PREPROCESS, "build", "--store", folder, "--views", VIEWS + 1)
            self.assertEqual([letterpress.open(folder, n).views for n in (1, 2)], [VIEWS, VIEWS + 1])
            self.assertEqual(letterpress.open(folder).provenance["generation"], 2)


def load_tests(loader, _tests, _pattern):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Uncompressed, Compressed, Tiles, Refusals))


if __name__ == "__main__":
    unittest.main()
