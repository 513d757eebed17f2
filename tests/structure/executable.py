#!/usr/bin/env python3
"""Each file that says what runs it can be run. usage: executable.py ROOT"""
import os
import pathlib
import sys

ROOMS = (".ci", "samples", "scripts", "tests")


def scripts_of(root):
    """Each regular file below the rooms of `root` that begins with #!, in order."""
    paths = sorted(pathlib.Path(folder) / name for room in ROOMS for folder, _, names in os.walk(root / room) for name in names)
    return [path for path in paths if path.is_file() and not path.is_symlink() and path.read_bytes()[:2] == b"#!"]


root = pathlib.Path(sys.argv[1])
paths = scripts_of(root)
found = [f"{path.relative_to(root)}: begins with #!, but cannot be run; chmod +x it" for path in paths if not os.access(path, os.X_OK)]
print("\n".join(found) or f"{len(paths)} scripts, each can be run")
sys.exit(1 if found or not paths else 0)
