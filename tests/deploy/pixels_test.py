"""samples/deploy/pixels.py, which knows of Letterpress only what docs/reference/pixels.md says, against the clean rows of stores.

Pictures are drawn like photographs: soft and fine structure in colour, saturated places, all kinds of files that `build` reads.
"""
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "samples/deploy"))
try:
    import h5py
    import numpy as np
    import pixels
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup.sh --tests installs what is needed")
    sys.exit(77)

PREPROCESS = os.environ.get("LETTERPRESS_PREPROCESS", "letterpress-preprocess")
ORIENTATION = 0x0112


def scene(rng, width, height):
    """Waves of three colours, blobs up to black and to pure colours, grain."""
    y, x = np.mgrid[:height, :width]
    picture = np.stack([120 + 70 * np.sin(x / rng.uniform(3, 40) + y / rng.uniform(3, 40)) for _ in range(3)], -1)
    for _ in range(12):
        at, radius = rng.uniform(0, [width, height]), rng.uniform(3, 40)
        picture[(x - at[0]) ** 2 + (y - at[1]) ** 2 < radius**2] = rng.choice([0, 255], 3)
    return Image.fromarray(np.clip(picture + rng.normal(0, 6, picture.shape), 0, 255).astype(np.uint8))


def turned(orientation):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return {"exif": exif}


def write_pictures(folder):
    """As a phone, a scanner and a drawing program write them; sizes around those at which the decoding scale changes (side 96)."""
    rng = np.random.default_rng(1)

    def save(name, width, height, mode="RGB", **how):
        scene(rng, width, height).convert(mode).save(folder / name, **how)

    for width, height in [(40, 30), (95, 96), (97, 60), (123, 45), (150, 111), (190, 193), (301, 227), (257, 400), (640, 480), (775, 1001)]:
        save(f"whole_{width}.jpg", width, height, quality=90, subsampling=2)
        save(f"drawn_{width}.png", width, height)
    for subsampling in (0, 1):
        for width in (120, 300):
            save(f"sampling{subsampling}_{width}.jpg", width, 90, quality=85, subsampling=subsampling)
    for orientation in range(2, 9):
        save(f"turned{orientation}.jpg", 203, 131, quality=90, **turned(orientation))
        save(f"turned{orientation}_large.jpg", 803, 531, quality=90, **turned(orientation))
    save("grey.jpg", 150, 111, "L")
    save("grey.png", 150, 111, "L")
    save("palette.png", 150, 111, "P")
    save("alpha.png", 150, 111, "RGBA")
    save("progressive.jpg", 150, 111, progressive=True)


def clean_rows(store):
    for path in sorted((store / "shards").glob("*.h5")):
        with h5py.File(path) as shard:
            rule = json.loads(shard.attrs["recipe"])["letterbox"]
            names, ends = shard["name_bytes"][:].tobytes(), shard["name_offset"][:]
            for row in range(len(shard["view"])):
                if shard["view"][row] == 0:
                    yield names[ends[row]:ends[row + 1]].decode(), rule, shard["images"][row], shard["letterbox"][row]


class Pixels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "pictures").mkdir()
        write_pictures(cls.folder / "pictures")
        cls.names = sorted(path.name for path in (cls.folder / "pictures").iterdir())
        lines = [f"pictures/{name} 2,3,15,12,0" for name in cls.names]
        (cls.folder / "classes.txt").write_text("thing\n")
        (cls.folder / "train.txt").write_text("".join(line + "\n" for line in lines))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def differences(self, recipe, side):
        """By picture: how many levels apart the two frames are at most."""
        store = self.folder / f"{recipe}-{side}"
        built = subprocess.run([PREPROCESS, "build", "--store", store, "--input", self.folder / "train.txt", "--classes",
                                self.folder / "classes.txt", "--size", str(side), "--recipe", recipe, "--views", "0"],
                               capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        furthest = {}
        for name, rule, image, letterbox in clean_rows(store):
            frame, scale, offset, _ = pixels.make_frame(self.folder / name, side, rule)
            np.testing.assert_array_equal(np.float32([scale[0], 0, offset[0], 0, scale[1], offset[1]]), letterbox)
            furthest[pathlib.Path(name).name] = int(abs(frame.astype(int) - image).max())
        self.assertEqual(sorted(furthest), self.names)
        return furthest

    def test_they_are_the_bytes_of_the_clean_row(self):
        for recipe, side in [("detect", 96), ("detect", 224), ("keras-yolo3", 96)]:
            with self.subTest(recipe=recipe, side=side):
                for name, levels in self.differences(recipe, side).items():
                    self.assertLessEqual(levels, 4 if name.startswith("sampling1_") else 0, name)  # 4:2:2


if __name__ == "__main__":
    unittest.main()
