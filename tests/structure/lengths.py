#!/usr/bin/env python3
"""No C++ file of the project is longer than 300 lines of at most 100 columns; raw strings may be wider. usage: lengths.py ROOT"""
import pathlib
import re
import sys

from sources import cpp_files

LINES, COLUMNS = 300, 100
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1".*?$', re.DOTALL | re.MULTILINE)


def faults(name, text):
    lines = RAW_STRING.sub(lambda match: "\n" * match[0].count("\n"), text).splitlines()
    if len(lines) > LINES:
        yield f"{name}: {len(lines)} lines, must be at most {LINES}; which part of it has a name of its own?"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"{name}:{number}: {len(line)} columns, must be at most {COLUMNS}; run clang-format"


root = pathlib.Path(sys.argv[1])
paths = cpp_files(root)
found = [fault for path in paths for fault in faults(path.relative_to(root), path.read_text(encoding="utf-8"))]
print("\n".join(found) or f"{len(paths)} files, none of more than {LINES} lines of {COLUMNS} columns")
sys.exit(1 if found else 0)
