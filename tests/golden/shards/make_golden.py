"""Makes the golden shards with h5py alone, from the schema in docs/reference/store.md: a reader of ours must accept what another program
wrote. Usage: make_golden.py (needs numpy, h5py, xxhash; writes <digest>.h5 into the folders none and deflate beside itself).

2 rows of side 32, M = 8, P = 1. Row r: every pixel (10 + r, 20 + r, 30 + r); r + 1 boxes, box b is 2b 1 2b+5 9 of class b, area 100 + b.
"""

import os

import h5py
import numpy as np
import xxhash

SIDE, N, M = 32, 2, 8
here = os.path.dirname(os.path.abspath(__file__))
digests = [xxhash.xxh3_128_digest(text) for text in (b"first picture", b"second picture")]
names = [b"one.jpg", b"two.jpg"]

boxes = np.zeros((N, M, 5), "<f4")
boxes[..., 4] = -1
area = np.zeros((N, M), "<f4")
for row in range(N):
    for box in range(row + 1):
        boxes[row, box] = [2 * box, 1, 2 * box + 5, 9, box]
        area[row, box] = 100 + box

columns = dict(
    images=np.array([[10 + row, 20 + row, 30 + row] for row in range(N)], "u1")[:, None, None, :] * np.ones((1, SIDE, SIDE, 1), "u1"),
    boxes=boxes,
    box_count=np.array([1, 2], "<i4"),
    box_flags=np.zeros((N, M), "u1"),
    box_area=area,
    label=np.full(N, -1, "<i4"),
    letterbox=np.array([[0.5, 0, 0, 0, 0.5, 4]] * N, "<f4"),
    source_size=np.array([[64, 48]] * N, "<i4"),
    picture_id=np.array([int.from_bytes(digest[:8], "big") for digest in digests], "<u8"),
    view=np.array([0, 0], "<i4"),
    status=np.array([0, 0], "<i4"),
    source_hash=np.array([list(digest) for digest in digests], "u1"),
    augment=np.array([[0.5], [0.75]], "<f4"),
)
columns["row_checksum"] = np.array(
    [xxhash.xxh3_64_intdigest(b"".join(column[row].tobytes() for column in columns.values()) + names[row]) for row in range(N)], "<u8")
columns["name_bytes"] = np.frombuffer(b"".join(names), "u1")
columns["name_offset"] = np.cumsum([0] + [len(name) for name in names]).astype("<u8")



def write(shard, compression):
    for name, column in columns.items():
        rows = dict(chunks=(1, SIDE, SIDE, 3), compression="gzip") if name == "images" and compression == "deflate" else {}
        shard.create_dataset(name, data=column, track_times=False, **rows)
    for name, value in dict(producer="h5py", recipe='{"name":"none"}', classes='["cat", "dog"]', augment_names='["hsv.hue"]',
                            colour_order="RGB").items():
        shard.attrs[name] = np.bytes_(value)
    shard.attrs["schema"] = np.int32(2 if compression == "deflate" else 1)
    shard.attrs["pad_value"] = np.int32(114)


def pixel_ranges(images):
    if images.chunks is None:
        return [(images.id.get_offset(), images.nbytes)]
    chunks = [images.id.get_chunk_info(i) for i in range(images.id.get_num_chunks())]
    return sorted((chunk.byte_offset, chunk.size) for chunk in chunks)


for compression in ("none", "deflate"):
    temporary = os.path.join(here, "golden.tmp")
    with h5py.File(temporary, "w", libver=("v108", "v108")) as shard:
        write(shard, compression)
    with h5py.File(temporary, "r") as shard:
        ranges = pixel_ranges(shard["images"])
    with open(temporary, "rb") as file:
        everything = file.read()
    outside = everything
    for first, size in reversed(ranges):
        outside = outside[:first] + outside[first + size:]
    folder = os.path.join(here, compression)
    os.makedirs(folder, exist_ok=True)
    digest = xxhash.xxh3_128_hexdigest(outside)
    os.replace(temporary, os.path.join(folder, digest + ".h5"))
    print(compression, digest + ".h5", len(everything), "bytes")
