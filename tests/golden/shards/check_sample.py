"""Reads a shard with h5py alone and compares every dataset and attribute with the values that tests/formats/shards/sample_shard.h states.

usage: check_sample.py SHARD       exit 77 when h5py or xxhash is not installed
"""

import json
import os
import sys

try:
    import h5py
    import numpy as np
    import xxhash
except ImportError as missing:
    print(f"skipped: {missing}; pip install numpy h5py xxhash")
    sys.exit(77)

ORDER = ["images", "boxes", "box_count", "box_flags", "box_area", "label", "letterbox", "source_size", "picture_id", "view", "status",
         "source_hash", "augment"]
DTYPES = dict(images="u1", boxes="<f4", box_count="<i4", box_flags="u1", box_area="<f4", label="<i4", letterbox="<f4", source_size="<i4",
              picture_id="<u8", view="<i4", status="<i4", source_hash="u1", augment="<f4", row_checksum="<u8", name_bytes="u1",
              name_offset="<u8")


def expected():
    first = xxhash.xxh3_128_digest(b"the bytes of a b.jpg")
    second = xxhash.xxh3_128_digest(b"not a picture")
    names = [b"a b.jpg", b"a b.jpg", "\u00fc.png".encode()]
    boxes = np.zeros((3, 8, 5), "f4")
    boxes[..., 4] = -1
    boxes[0, 0] = [4, 2, 20, 10, 1]
    flags = np.zeros((3, 8), "u1")
    flags[0, 0] = 1
    area = np.zeros((3, 8), "f4")
    area[0, 0] = 77
    pixel = np.arange(32 * 32 * 3)
    half = [0.5, 0, 0, 0, 0.5, 8]
    return dict(
        images=np.stack([((31 * row + 7 * pixel) % 251).reshape(32, 32, 3) for row in range(3)]),
        boxes=boxes, box_count=[1, 0, 0], box_flags=flags, box_area=area, label=[-1, -1, 3],
        letterbox=[half, half, [1, 0, 0, 0, 1, 0]], source_size=[[64, 32], [64, 32], [0, 0]],
        picture_id=[int.from_bytes(digest[:8], "big") for digest in (first, first, second)],
        view=[0, 2, -1], status=[0, 0, 1], source_hash=[list(first), list(first), list(second)],
        augment=[[0, 0], [0.25, -1.5], [0, 0]], name_bytes=list(b"".join(names)), name_offset=np.cumsum([0] + [len(name) for name in names]),
    ), names


def row_checksum(shard, row, name):
    return xxhash.xxh3_64_intdigest(b"".join(np.ascontiguousarray(shard[column][row]).tobytes() for column in ORDER) + name)


def pixel_ranges(images):
    if images.chunks is None:
        return [(images.id.get_offset(), images.nbytes)]
    chunks = [images.id.get_chunk_info(i) for i in range(images.id.get_num_chunks())]
    return sorted((chunk.byte_offset, chunk.size) for chunk in chunks)


def file_digest(path, images):
    with open(path, "rb") as file:
        everything = file.read()
    for first, size in reversed(pixel_ranges(images)):
        everything = everything[:first] + everything[first + size:]
    return xxhash.xxh3_128_hexdigest(everything)


def check(path):
    wanted, names = expected()
    with h5py.File(path, "r") as shard:
        deflated = shard["images"].compression is not None
        assert set(shard) == set(DTYPES), set(shard) ^ set(DTYPES)
        for column, dtype in DTYPES.items():
            assert shard[column].dtype == np.dtype(dtype), (column, shard[column].dtype)
            if column == "images" and deflated:
                assert shard[column].chunks == (1, 32, 32, 3) and shard[column].compression == "gzip", column
            else:
                assert shard[column].chunks is None and shard[column].compression is None, column
            if column != "row_checksum":
                np.testing.assert_array_equal(shard[column][()], np.asarray(wanted[column], dtype), err_msg=column)
        assert pixel_ranges(shard["images"])[0][0] % 4096 == 0 or deflated
        for row, name in enumerate(names):
            assert int(shard["row_checksum"][row]) == row_checksum(shard, row, name), row
        attributes = {key: value.decode() if isinstance(value, bytes) else value for key, value in shard.attrs.items()}
        assert attributes == dict(schema=2 if deflated else 1, producer="letterpress test", recipe='{"name":"none"}', classes='["cat","dog"]',
                                  augment_names='["hsv.hue","affine.x"]', pad_value=114, colour_order="RGB"), attributes
        assert json.loads(attributes["classes"]) == ["cat", "dog"]
        digest = file_digest(path, shard["images"])
    assert os.path.basename(path) == digest + ".h5", digest


check(sys.argv[1])
print("every dataset and attribute is as stated")
