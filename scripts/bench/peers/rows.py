"""What every peer of the loader takes and prints: the pixels of a Letterpress store, to batches of 32 in a random order."""
import json
import importlib.metadata
import pathlib
import sys
import time

import h5py
import numpy

BATCH, WORKERS = 32, 2


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


def measure(batches, count, *packages):
    """Rows per second of `count` rows, after a pass that is not counted: workers have begun, rows are in the page cache."""
    stream, seconds = endless(batches), 0
    for _ in range(2):
        done, started = 0, time.perf_counter()
        while done < count:
            done += len(next(stream))
        seconds = time.perf_counter() - started
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"items_per_s": done / seconds, "versions": versions}))
