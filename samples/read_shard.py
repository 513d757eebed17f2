#!/usr/bin/env python3
"""Reads a shard without Letterpress: h5py for the data, xxhash for the checks, Pillow to save a row.

usage: samples/read_shard.py SHARD [--row 0] [--out row.png]         needs: pip install numpy h5py xxhash pillow

The schema, the digest and the row checksum are explained in docs/reference/store.md.
"""
import argparse
import json
import pathlib

import h5py
import numpy as np
import xxhash

CHECKSUM_ORDER = ["images", "boxes", "box_count", "box_flags", "box_area", "label", "letterbox", "source_size", "picture_id", "view",
                  "status", "source_hash", "augment"]


def name_of(shard, row):
    first, last = shard["name_offset"][row : row + 2]
    return shard["name_bytes"][first:last].tobytes()


def row_is_intact(shard, row):
    columns = CHECKSUM_ORDER + (["tile", "whole_box"] if "tile" in shard else [])
    content = b"".join(np.ascontiguousarray(shard[column][row]).tobytes() for column in columns) + name_of(shard, row)
    return xxhash.xxh3_64_intdigest(content) == int(shard["row_checksum"][row])


def pixel_ranges(images):
    """File position and size of the pixels: one range, or one for each row where they are compressed."""
    if images.chunks is None:
        return [(images.id.get_offset(), images.nbytes)]
    rows = [images.id.get_chunk_info(i) for i in range(images.id.get_num_chunks())]
    return sorted((row.byte_offset, row.size) for row in rows)


def file_matches_its_name(path, shard):
    content, digest, end = path.read_bytes(), xxhash.xxh3_128(), 0
    for first, size in pixel_ranges(shard["images"]):
        digest.update(content[end:first])
        end = first + size
    digest.update(content[end:])
    return path.stem == digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description="reads a shard without Letterpress")
    parser.add_argument("shard", type=pathlib.Path)
    parser.add_argument("--row", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    with h5py.File(arguments.shard, "r") as shard:
        rows, side = shard["images"].shape[:2]
        classes = json.loads(shard.attrs["classes"])
        print(f"{rows} rows of {side}x{side}, classes {', '.join(classes)}")
        print("file matches its name:", file_matches_its_name(arguments.shard, shard))
        print("rows that match their checksum:", sum(row_is_intact(shard, row) for row in range(rows)), "of", rows)
        row = arguments.row
        tile = f" tile {shard['tile'][row]}," if "tile" in shard else ""
        print(f"row {row}: {name_of(shard, row).decode()},{tile} view {shard['view'][row]}, source {tuple(shard['source_size'][row])}")
        for x1, y1, x2, y2, kind in shard["boxes"][row, : shard["box_count"][row]]:
            print(f"  {classes[int(kind)]:12} {x1:7.1f} {y1:7.1f} {x2:7.1f} {y2:7.1f}")
        if arguments.out:
            from PIL import Image

            Image.fromarray(shard["images"][row]).save(arguments.out)


if __name__ == "__main__":
    main()
