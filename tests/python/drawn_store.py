"""A store for the tests, made by the programs of this repository, and what h5py reads of it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import letterpress  # noqa: F401
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup.sh --tests installs what is needed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREPROCESS = os.environ.get("LETTERPRESS_PREPROCESS", "letterpress-preprocess")
SIDE, VIEWS = 64, 3


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


@contextlib.contextmanager
def drawn_store(*flags, pictures=23, tiled=False):
    """Train has rows of VIEWS views, val clean ones; shards are small, so that there are several."""
    with tempfile.TemporaryDirectory() as folder:
        sample, store = f"{folder}/sample", f"{folder}/store"
        run(sys.executable, ROOT / "samples/draw.py", sample, "--pictures", pictures)
        run(PREPROCESS, "build", "--store", store, "--input", f"{sample}/train.txt", "--val", f"{sample}/val.txt", "--classes",
            f"{sample}/classes.txt", "--tile" if tiled else "--size", SIDE, "--views", VIEWS, "--shard-bytes", "200k", *flags)
        yield pathlib.Path(store)


def rows_of(store, key=("picture_id", "view")):
    """(picture id, view) or what `key` names -> every column of the row, its shard's path and its number."""
    rows = {}
    for path in sorted((store / "shards").glob("*.h5")):
        with h5py.File(path, "r") as shard:
            columns = {name: shard[name][:] for name in shard if not name.startswith("name_")}
            names, ends = shard["name_bytes"][:].tobytes(), shard["name_offset"][:]
        for row in range(len(columns["view"])):
            found = {name: column[row] for name, column in columns.items()}
            found |= {"name": names[ends[row] : ends[row + 1]].decode(), "path": path, "row": row}
            rows[tuple(int(found[name]) for name in key)] = found
    return rows


def snapshot_of(store):
    """What the file of snapshot 1 says."""
    return json.loads((store / "snapshots" / "00000001.json").read_text())["snapshot"]


def pictures_in_order(store, split):
    """Picture ids of a split, ascending by the hash of the file."""
    shards = [shard["digest"] for shard in snapshot_of(store)["shards"] if shard["split"] == split]
    hashes = {row["source_hash"].tobytes() for row in rows_of(store).values() if row["path"].stem in shards}
    return [int.from_bytes(digest[:8], "big") for digest in sorted(hashes)]


def flip_bit(path, offset):
    os.chmod(path, 0o644)
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 4]))


def offset_of_row(path, row):
    with h5py.File(path, "r") as shard:
        return shard["images"].id.get_offset() + row * int(np.prod(shard["images"].shape[1:]))
