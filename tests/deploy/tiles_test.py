"""samples/deploy/tiles.py, which knows of Letterpress only what the docs say, against the clean rows of stores of tiles; what is found is put
together as docs/how-to/tiles.md says."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import pixels_test  # where numpy and what reads pictures are not installed, it skips
import h5py
import numpy as np
import tiles
from PIL import Image

PREPROCESS = os.environ.get("LETTERPRESS_PREPROCESS", "letterpress-preprocess")
SIDE = 64
LEFT, RIGHT = [0, 0, 64, 64], [43, 0, 107, 64]  # two tiles of a picture of 107 x 64


def clean_tiles(store):
    """Picture, number of the tile, recipe, pixels, letterbox."""
    for path in sorted((store / "shards").glob("*.h5")):
        with h5py.File(path) as shard:
            names, ends = shard["name_bytes"][:].tobytes(), shard["name_offset"][:]
            for row in np.flatnonzero(shard["view"][:] == 0):
                name = names[ends[row]:ends[row + 1]].decode()
                yield name, shard["tile"][row], json.loads(shard.attrs["recipe"]), shard["images"][row], shard["letterbox"][row]


class Cut(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "classes.txt").write_text("thing\n")
        (self.folder / "pictures").mkdir()
        pixels_test.write_pictures(self.folder / "pictures")
        Image.new("RGB", (1, 90), "red").save(self.folder / "pictures" / "line.png")  # thinner than a pixel of a shrunk tile
        names = sorted(f"pictures/{path.name}" for path in (self.folder / "pictures").iterdir())
        (self.folder / "train.txt").write_text("".join(f"{name} 0,3,15,12,0\n" for name in names))
        self.names = names

    def check(self, *flags):
        store = self.folder / "store"
        built = subprocess.run([PREPROCESS, "build", "--store", store, "--input", self.folder / "train.txt", "--classes", self.folder / "classes.txt",
                                "--tile", str(SIDE), "--views", "0", *flags], capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        rows, counted = {}, {}
        for name, number, recipe, image, letterbox in clean_tiles(store):
            counted[name] = counted.get(name, 0) + 1
            if name not in rows:
                rows[name] = list(tiles.cut(self.folder / name, SIDE, recipe["letterbox"], recipe["tiles"])[1])
            tile = rows[name][number]
            np.testing.assert_array_equal(np.float32([tile.scale[0], 0, tile.offset[0], 0, tile.scale[1], tile.offset[1]]), letterbox)
            self.assertEqual(abs(tile.frame.astype(int) - image).max(), 0, f"{name} tile {number}")
        self.assertEqual(sorted(counted), self.names)
        self.assertEqual(counted, {name: len(of) for name, of in rows.items()})
        return sum(counted.values())

    def test_they_are_the_bytes_of_the_clean_rows(self):
        self.assertGreater(self.check("--overlap", "25%"), 500)

    def test_of_pictures_that_are_shrunk_first_too(self):
        self.assertGreater(self.check("--overlap", "0", "--scale", "0.4375"), 100)


def found(*tiles_and_rows, size=(107, 64), together=False):
    return tiles.merged([(place, np.array(rows, float).reshape(-1, 6)) for place, rows in tiles_and_rows], size, 0.6, together).tolist()


class Merged(unittest.TestCase):
    def test_what_two_tiles_show_whole_is_the_better_one(self):
        self.assertEqual(found((LEFT, [45, 10, 61, 26, 0.8, 1]), (RIGHT, [46, 10, 61, 26, 0.9, 1])), [[46, 10, 61, 26, 0.9, 1]])

    def test_a_whole_box_stands_in_for_a_cut_one_and_the_better_score_stays(self):
        self.assertEqual(found((LEFT, [50, 10, 64, 20, 0.9, 0]), (RIGHT, [50, 10, 80, 20, 0.6, 0])), [[50, 10, 80, 20, 0.9, 0]])

    def test_a_fragment_whose_edge_is_off_the_tiles_stands_in_for_nothing_that_it_leaves_out(self):
        left, right = (0, 0, 640, 640), (512, 0, 1152, 640)
        for x in (518, 519, 530):  # up to 518.4 it is cut
            rows = (left, [100, 300, 640, 340, 0.9, 0]), (right, [x, 300, 1000, 340, 0.8, 0])
            self.assertEqual(found(*rows, size=(1152, 640)), [[100, 300, 1000, 340, 0.9, 0]])

    def test_boxes_that_are_cut_in_every_tile_are_joined(self):
        self.assertEqual(found((LEFT, [30, 10, 64, 20, 0.9, 0]), (RIGHT, [43, 10, 70, 20, 0.8, 0])), [[30, 10, 70, 20, 0.9, 0]])

    def test_the_ends_of_a_long_object_are_one_where_the_tile_between_them_shows_it(self):
        three = [[0, 0, 64, 64], [43, 0, 107, 64], [86, 0, 150, 64]]
        ends = [20, 10, 64, 20, 0.9, 0], [86, 10, 130, 20, 0.8, 0]
        rows = found((three[0], ends[0]), (three[1], [43, 10, 107, 20, 0.7, 0]), (three[2], ends[1]), size=(150, 64))
        self.assertEqual(rows, [[20, 10, 130, 20, 0.9, 0]])
        self.assertEqual(len(found((three[0], ends[0]), (three[1], []), (three[2], ends[1]), size=(150, 64))), 2)

    def test_classes_are_apart_unless_they_count_together(self):
        rows = (LEFT, [45, 10, 61, 26, 0.8, 1]), (RIGHT, [45, 10, 61, 26, 0.9, 0])
        self.assertEqual(len(found(*rows)), 2)
        self.assertEqual(found(*rows, together=True), [[45, 10, 61, 26, 0.9, 0]])

    def test_two_objects_of_one_tile_do_not_become_one_through_the_other_tile(self):
        rows = (LEFT, [[43, 10, 58, 20, 0.9, 0], [48, 10, 64, 20, 0.8, 0]]), (RIGHT, [43, 10, 64, 20, 0.7, 0])
        self.assertEqual(len(found(*rows)), 2)
        rows = (LEFT, [45, 10, 61, 26, 0.9, 0]), (RIGHT, [[45, 10, 61, 26, 0.8, 0], [45, 10, 60, 26, 0.7, 0]])
        self.assertEqual(len(found(*rows)), 2)  # what the right tile tells apart stays apart

    def test_the_edges_of_the_picture_cut_nothing(self):
        self.assertEqual(found((LEFT, [0, 10, 60, 20, 0.9, 0]), (RIGHT, [43, 10, 62, 20, 0.8, 0])), [[0, 10, 60, 20, 0.9, 0]])

    def test_what_overlaps_too_little_is_two_and_the_best_comes_first(self):
        rows = found((LEFT, [45, 10, 61, 26, 0.8, 1]), (RIGHT, [53, 10, 69, 26, 0.9, 1]))
        self.assertEqual([row[4] for row in rows], [0.9, 0.8])

    def test_nothing_stays_nothing(self):
        self.assertEqual(found((LEFT, []), (RIGHT, [])), [])


if __name__ == "__main__":
    unittest.main()
