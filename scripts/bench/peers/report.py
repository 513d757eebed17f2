"""What every peer's program takes and prints."""
import importlib.metadata
import json
import pathlib
import sys


def arguments():
    """Lines of the keras-yolo3 list, side in pixels, pictures to work on."""
    return pathlib.Path(sys.argv[1]).read_text().splitlines(), int(sys.argv[2]), int(sys.argv[3])


def paths(lines):
    return [line.split()[0] for line in lines]


def rate(items, seconds, *packages):
    versions = {name: importlib.metadata.version(name) for name in packages}
    print(json.dumps({"items_per_s": items / seconds, "versions": versions}))
