"""Where the C++ of the project is: what lengths.py and functions.py look at."""
import os
import pathlib
import sys

ROOMS = ("commandline", "formats", "machine", "preprocess", "python", "samples", "tests", "trainer")


def cpp_files(root):
    """Each C++ file below the rooms of `root`, in order. Exits when there is none."""
    paths = sorted(pathlib.Path(folder) / name for room in ROOMS for folder, _, names in os.walk(root / room)
                   for name in names if name.endswith((".cpp", ".h", ".inl")))
    return paths or sys.exit(f"{root}: none of the rooms {', '.join(ROOMS)} has a C++ file")
