"""samples/deploy/pixels.py, which knows of Letterpress only what docs/reference/pixels.md says, against the clean rows of stores.

Pictures are drawn like photographs: soft and fine structure in colour, saturated places, all kinds of files that `build` reads.
"""
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
    import cv2
    import h5py
    import numpy as np
    import pixels
    from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup.sh --tests installs what is needed")
    sys.exit(77)

PREPROCESS = os.environ.get("LETTERPRESS_PREPROCESS", "letterpress-preprocess")
ORIENTATION = 0x0112
RULE = {"scale": "fit", "rounding": "nearest", "place": "centre", "fill": 114, "resize": "linear"}


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
    save("turned9.jpg", 203, 131, quality=90, **turned(9))  # no such turn
    for orientation in (3, 6):
        save(f"turned{orientation}.tif", 203, 131, tiffinfo={ORIENTATION: orientation})
    for width in (97, 190, 640):
        further = scene(rng, 60, 40)
        save(f"further_{width}.jpg", width, 111, quality=90, format="MPO", save_all=True, append_images=[further])
    save("grey.jpg", 150, 111, "L")
    save("grey.png", 150, 111, "L")
    save("palette.png", 150, 111, "P")
    save("alpha.png", 150, 111, "RGBA")
    save("progressive.jpg", 150, 111, progressive=True)


def write_deep_pictures(folder):
    """16 bits per channel: what sensors, microscopes and films give."""
    rng = np.random.default_rng(2)
    colour = (np.asarray(scene(rng, 150, 111)).astype(np.uint16) << 4) + rng.integers(0, 16, (111, 150, 3), np.uint16)
    cv2.imwrite(str(folder / "colour.png"), colour)
    cv2.imwrite(str(folder / "grey.png"), colour[..., 1])
    cv2.imwrite(str(folder / "alpha.png"), np.dstack([colour, colour[..., 0]]))
    cv2.imwrite(str(folder / "colour.tif"), colour)
    cv2.imwrite(str(folder / "grey.tif"), colour[..., 1])


def write_inks(folder):
    """Inks as Adobe's programs write them, and as others do: without its marker."""
    rng = np.random.default_rng(3)
    for width in (80, 150, 700):
        picture = scene(rng, width, width - 20).convert("CMYK")
        picture.putdata([(c, m, y, (c + m) // 3) for c, m, y, _ in picture.getdata()])
        picture.save(folder / f"adobe{width}.jpg", quality=90)
        content = (folder / f"adobe{width}.jpg").read_bytes()
        at = content.index(b"\xff\xee")  # APP14
        picture.save(folder / f"stored{width}.tif")
        (folder / f"plain{width}.jpg").write_bytes(content[:at] + content[at + 2 + int.from_bytes(content[at + 2:at + 4], "big"):])


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
        (cls.folder / "classes.txt").write_text("thing\n")
        write_pictures(cls.folder / "pictures")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def differences(self, recipe, side, pictures="pictures", depth=None):
        """By picture: how many levels apart the two frames are at most."""
        names = sorted(path.name for path in (self.folder / pictures).iterdir())
        (self.folder / "train.txt").write_text("".join(f"{pictures}/{name} 2,3,15,12,0\n" for name in names))
        store = self.folder / f"{pictures}-{depth}-{recipe}-{side}"
        built = subprocess.run([PREPROCESS, "build", "--store", store, "--input", self.folder / "train.txt", "--classes",
                                self.folder / "classes.txt", "--size", str(side), "--recipe", recipe, "--views", "0",
                                *(["--depth", depth] if depth else [])], capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        furthest = {}
        for name, rule, image, letterbox in clean_rows(store):
            frame, scale, offset, _ = pixels.make_frame(self.folder / name, side, rule, depth)
            np.testing.assert_array_equal(np.float32([scale[0], 0, offset[0], 0, scale[1], offset[1]]), letterbox)
            furthest[pathlib.Path(name).name] = int(abs(frame.astype(int) - image).max())
        self.assertEqual(sorted(furthest), names)
        return furthest

    def test_they_are_the_bytes_of_the_clean_row(self):
        for recipe, side in [("detect", 96), ("detect", 224), ("keras-yolo3", 96)]:
            with self.subTest(recipe=recipe, side=side):
                for name, levels in self.differences(recipe, side).items():
                    self.assertLessEqual(levels, 4 if name.startswith("sampling1_") else 0, name)  # 4:2:2

    def test_of_16_bits_those_that_the_depth_names_count(self):
        (self.folder / "deep").mkdir()
        write_deep_pictures(self.folder / "deep")
        for depth in ("8", "12", "16", "minmax"):
            with self.subTest(depth=depth):
                self.assertEqual(max(self.differences("detect", 96, "deep", depth).values()), 0)
        with self.assertRaisesRegex(ValueError, "16 bits per channel need a depth, 8, 12, 16 or minmax; got none"):
            pixels.make_frame(self.folder / "deep/colour.png", 96, RULE)

    def test_inks_become_colours_with_and_without_the_marker_that_says_they_are_inverted(self):
        (self.folder / "inks").mkdir()
        write_inks(self.folder / "inks")
        for side in (96, 224):
            with self.subTest(side=side):
                self.assertEqual(max(self.differences("detect", side, "inks").values()), 0)

    def test_of_a_picture_thinner_than_a_pixel_of_the_frame_nothing_is_seen(self):
        line, none = np.zeros((1, 640, 3), np.uint8), np.zeros(2)
        for decoded in (line, line.transpose(1, 0, 2)):
            frame = pixels.draw((decoded, 1, none), np.full(2, 0.3), none, 96, RULE)
            self.assertEqual((frame.shape, frame.min(), frame.max()), ((96, 96, 3), 114, 114))


if __name__ == "__main__":
    unittest.main()
