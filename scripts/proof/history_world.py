"""The disk under a history: pictures, label files, a store, and the programs that work on it. Used by histories.py."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy
import xxhash
from history_model import Picture
from works import ROOT, Wrong

sys.path.insert(0, str(ROOT / "samples"))
import draw  # noqa: E402

SIDE = 32
DAY_S = 86400
SHAPES = [(10, 8), (16, 16), (8, 20), (12, 12)]
OPEN_GATES = ("--max-removed", "100%", "--max-rejects", "100%", "--max-rejected-boxes", "100%", "--max-moved", "100%")


def draw_pictures(folder):
    """Of each shape several, which differ in colour and have the same size in bytes, so that an edit may leave size and time alone."""
    pictures = []
    for number in range(16):
        width, height = SHAPES[number % len(SHAPES)]
        colour = (20 + 13 * number, 230 - 9 * number, 77 + 5 * (number % 7))
        draw.write_png(folder / "drawn.png", width, height, [bytes(colour) * width] * height)
        content = (folder / "drawn.png").read_bytes().ljust(200, b"\0")  # what is behind a PNG's end is nobody's
        pictures.append(Picture(number, width, height, colour, content, xxhash.xxh3_128_digest(content)))
    cut = pictures[0].content[:50]
    return pictures, Picture(-1, *SHAPES[0], (0, 0, 0), cut, xxhash.xxh3_128_digest(cut), is_broken=True)


class World:
    def __init__(self, folder, programs, library):
        self.folder, self.programs, self.library = pathlib.Path(folder), pathlib.Path(programs).resolve(), pathlib.Path(library).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pictures, self.broken = draw_pictures(self.folder)
        self.set, self.store = self.folder / "set", self.folder / "store"
        self.start()

    def start(self):
        for folder in (self.set, self.store, self.folder / "away", self.folder / "clean"):
            shutil.rmtree(folder, ignore_errors=True)
        self.set.mkdir()
        (self.set / "pictures").mkdir()
        self.clock_s, self.shards = 0, {}

    def path(self, name):
        return self.set / "pictures" / name

    def put(self, name, picture, keep_time=False):
        path = self.path(name)
        times = path.stat() if keep_time else None
        path.write_bytes(picture.content)
        if times:
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def write_labels(self, inputs):
        texts = {"train": "", "val": ""}
        for name, (split, boxes) in sorted(inputs.lines.items()):
            for kind, box in boxes:
                texts[split] += f"pictures/{name},{','.join(map(str, box))},{kind}\n"
            if not boxes:
                texts[split] += f"pictures/{name},,,,,\n"
        for split, text in texts.items():
            (self.set / f"{split}.csv").write_text(text)

    def words(self, command, inputs, *more, gates=OPEN_GATES):
        val = str(inputs.share) if inputs.share else self.set / "val.csv"
        rename = ("--rename-class", "=".join(inputs.rename)) if inputs.rename else ()
        return self.preprocess(command, "--store", self.store, "--input", self.set / "train.csv", "--val", val, "--format", "csv", "--size", SIDE,
                               "--views", inputs.views, "--threads", 1, "--json", *gates, *rename, *more)

    def preprocess(self, *words):
        return [str(word) for word in (self.programs / "letterpress-preprocess", *words)]

    def environment(self, kill_at=0):
        more = {"LD_PRELOAD": str(self.library), "LETTERPRESS_FAULTS_CLOCK_S": str(self.clock_s)} if self.clock_s or kill_at else {}
        if kill_at:
            more |= {"LETTERPRESS_FAULTS_BELOW": str(self.store), "LETTERPRESS_FAULTS_CALLS": "changes", "LETTERPRESS_FAULTS_AT": str(kill_at),
                     "LETTERPRESS_FAULTS_HOW": "kill"}
        return {**os.environ, **more}

    def run(self, words, kill_at=0):
        return subprocess.run(words, capture_output=True, text=True, errors="replace", env=self.environment(kill_at))

    def run_both(self, words):
        running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment()) for _ in range(2)]
        return [subprocess.CompletedProcess(words, process.returncode, *texts) for texts, process in [(one.communicate(), one) for one in running]]

    def generations(self):
        return {int(path.stem): path for path in sorted((self.store / "snapshots").glob("*.json"))}

    def newest(self):
        generations = self.generations()
        return json.loads(generations[max(generations)].read_text())["snapshot"] if generations else None

    def files(self):
        """All but the cache, which remembers files as soon as they are old enough."""
        return sorted(str(path) for path in self.store.rglob("*") if path.parent.name != "cache")

    def shards_on_disk(self):
        return {path.stem for path in (self.store / "shards").glob("*.h5")}

    def shard(self, digest):
        """The tables of a shard, which never change once it has its name."""
        if digest not in self.shards:
            with h5py.File(self.store / "shards" / f"{digest}.h5", "r") as file:
                names = ("images", "boxes", "box_count", "source_hash", "view", "status", "source_size", "letterbox")
                self.shards[digest] = {name: file[name][()] for name in names}
        return self.shards[digest]


def rows_of(world, snapshot):
    """{(hash, split, view): [(tables, row)]} of the rows that are alive."""
    found = collections.defaultdict(list)
    for shard in snapshot["shards"]:
        tables, dead = world.shard(shard["digest"]), set(shard["dead"])
        if len(tables["view"]) != shard["rows"]:
            raise Wrong(f"shard {shard['digest']} has {len(tables['view'])} rows, the snapshot says {shard['rows']}")
        for row, view in enumerate(tables["view"]):
            if row not in dead and view >= 0:
                found[tables["source_hash"][row].tobytes(), shard["split"], int(view)].append((tables, row))
    return found


def boxes_in_source(tables, row):
    """(class id, corners in pixels of the source), by the row's letterbox."""
    a, _, c, _, e, f = tables["letterbox"][row]
    boxes = []
    for x1, y1, x2, y2, kind in tables["boxes"][row][: tables["box_count"][row]]:
        boxes.append((int(kind), ((x1 - c) / a, (y1 - f) / e, (x2 - c) / a, (y2 - f) / e)))
    return boxes


def check_clean_row(tables, row, stored, classes):
    picture = stored.picture
    if tuple(tables["source_size"][row]) != (picture.width, picture.height):
        raise Wrong(f"picture {picture.number} has source_size {tables['source_size'][row]}")
    middle = tables["images"][row][SIDE // 2, SIDE // 2]
    if tuple(int(level) for level in middle) != picture.colour:
        raise Wrong(f"the row of picture {picture.number}, which is {picture.colour}, shows {middle}")
    wanted = [(classes.index(name), box) for name, box in stored.boxes]
    found = boxes_in_source(tables, row)
    if [kind for kind, _ in found] != [kind for kind, _ in wanted] or not numpy.allclose(
            [box for _, box in found] or [()], [box for _, box in wanted] or [()], atol=0.01):
        raise Wrong(f"the row of picture {picture.number} has boxes {found}, must be {wanted}")


def check_rows(world, snapshot, expected):
    """Every row that the model wants, once, and no other."""
    rows = rows_of(world, snapshot)
    wanted = {}
    for stored in expected.stored.values():
        wanted |= {(stored.picture.hash, stored.split, view): stored for view in range(expected.views_of(stored) + 1)}
    if rows.keys() != wanted.keys():
        raise Wrong(f"the store lacks rows {wanted.keys() - rows.keys()} and has too many: {rows.keys() - wanted.keys()}")
    for key, places in rows.items():
        if len(places) != 1:
            raise Wrong(f"row {key} is there {len(places)} times")
        tables, row = places[0]
        stored, ids = wanted[key], {snapshot["classes"].index(name) for name, _ in wanted[key].boxes}
        if tables["status"][row] != 0:
            raise Wrong(f"row {key} has status {tables['status'][row]}")
        if key[2] == 0:
            check_clean_row(tables, row, stored, snapshot["classes"])
        elif not {kind for kind, _ in boxes_in_source(tables, row)} <= ids:
            raise Wrong(f"row {key} has boxes of other classes than its picture")
