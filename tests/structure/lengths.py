#!/usr/bin/env python3
"""No C++ file of the project is longer than 300 lines of at most 100 columns; raw strings may be wider. usage: lengths.py ROOT"""
import os
import pathlib
import re
import sys

LINES, COLUMNS = 300, 100
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1".*?$', re.DOTALL | re.MULTILINE)
ROOMS = ("commandline", "formats", "machine", "preprocess", "python", "samples", "tests", "trainer")


looked_at = 0


def faults(root):
    global looked_at
    for room in ROOMS:
        for folder, _, names in os.walk(root / room):
            for name in sorted(names):
                if not name.endswith((".cpp", ".h")):
                    continue
                looked_at += 1
                path = pathlib.Path(folder) / name
                lines = RAW_STRING.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8")).splitlines()
                if len(lines) > LINES:
                    yield f"{path.relative_to(root)}: {len(lines)} lines, must be at most {LINES}; which part of it has a name of its own?"
                for number, line in enumerate(lines, 1):
                    if len(line) > COLUMNS:
                        yield f"{path.relative_to(root)}:{number}: {len(line)} columns, must be at most {COLUMNS}; run clang-format"


found = list(faults(pathlib.Path(sys.argv[1])))
if looked_at == 0:
    sys.exit(f"{sys.argv[1]}: none of the rooms {', '.join(ROOMS)} has a C++ file")
print("\n".join(found) or f"{looked_at} files, none of more than {LINES} lines of {COLUMNS} columns")
sys.exit(1 if found else 0)
