"""What every peer of the loader takes and prints: the pixels of a Letterpress store, to batches of 32 in a random order."""
import json
import importlib.metadata
import math
import pathlib
import sys
import time
import zlib

import h5py
import numpy

BATCH, WORKERS = 32, 2
LASTS = 1  # seconds of a measurement at least, as letterpress-trainer bench repeats short passes


def arguments():
    """Folder with `store`, where a peer may keep its own copy of the rows, and bytes or float32."""
    return pathlib.Path(sys.argv[1]), sys.argv[2]


def shards(folder):
    """uint8 [N, S, S, 3] of every shard, read by h5py."""
    return [h5py.File(path, "r")["images"] for path in sorted((folder / "store" / "shards").glob("*.h5"))]


def places(datasets):
    """(shard, row) of every row."""
    return [(shard, row) for shard, images in enumerate(datasets) for row in range(images.shape[0])]


def own_copy(folder, name, write):
    """folder/name, filled by write(folder/name) when it is not there yet."""
    target = folder / name
    if not target.exists():
        part = folder / f"{name}.part"
        part.mkdir()
        write(part)
        part.rename(target)
    return target


def normalised(batch):
    """uint8 -> float32 0..1, as numpy does it best: one pass."""
    return numpy.multiply(batch, numpy.float32(1 / 255), dtype=numpy.float32)


def endless(batches):
    while True:
        yield from batches


def checksum(picture):
    """Of the bytes of a row, whether it is bytes or numbers 0..1 yet."""
    pixels = numpy.asarray(picture)
    if pixels.dtype != numpy.uint8:
        pixels = numpy.rint(pixels * numpy.float32(255)).astype(numpy.uint8)
    return zlib.crc32(numpy.ascontiguousarray(pixels))


def checksums(folder):
    """Those of the store's rows as h5py reads them; once per folder."""
    path = folder / "checksums.json"
    if not path.exists():
        datasets = shards(folder)
        path.write_text(json.dumps([checksum(datasets[shard][row]) for shard, row in places(datasets)]))
    return set(json.loads(path.read_text()))


def check_pass(stream, count, wanted):
    """One pass: each row is one of the store's, and nearly all of those come (what does not fill a batch may be left out)."""
    seen, done = set(), 0
    while done < count:
        batch = next(stream)
        pictures = batch.as_array() if hasattr(batch, "as_array") else batch
        seen.update(checksum(picture) for picture in pictures)
        done += len(pictures)
    if strange := seen - wanted:
        raise SystemExit(f"{len(strange)} of {len(seen)} rows are not the store's: other pixels than those of the other programs")
    if len(seen) < 0.9 * len(wanted):
        raise SystemExit(f"only {len(seen)} of the store's {len(wanted)} rows came in a pass: not the work of the other programs")


def timed_pass(stream, count):
    """How many rows came, at least `count`, and in how many seconds."""
    done, started = 0, time.perf_counter()
    while done < count:
        done += len(next(stream))
    return done, time.perf_counter() - started


def measure(batches, count, *packages):
    """Rows per second of passes of `count` rows, after one that is not counted: workers have begun, rows are in the page cache. Before the first
    measurement of a folder there is a pass in which the pixels are held against the store's."""
    (folder, pixels), stream = arguments(), endless(batches)
    checked = folder / f"checked-{pathlib.Path(sys.argv[0]).stem}-{pixels}"
    if not checked.exists():
        check_pass(stream, count, checksums(folder))
        checked.touch()
    timed_pass(stream, count)
    done, seconds = timed_pass(stream, count)
    while seconds < LASTS:  # as the pass lasts if it is repeated: no look at the clock in between
        done, seconds = timed_pass(stream, count * math.ceil(1.2 * LASTS / seconds))
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"items_per_s": done / seconds, "versions": versions}))
