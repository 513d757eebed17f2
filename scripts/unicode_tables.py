#!/usr/bin/env python3
"""Writes preprocess/inputs/unicode_tables.inl: canonical compositions of two characters and simple
lower case, of the Basic Multilingual Plane, from the Unicode data of this Python.

usage: scripts/unicode_tables.py > preprocess/inputs/unicode_tables.inl
"""

import textwrap
import unicodedata


def compositions():
    for code in range(0x10000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) != 2 or parts[0].startswith("<"):
            continue
        if unicodedata.normalize("NFC", chr(code)) == chr(code):
            yield int(parts[0], 16), int(parts[1], 16), code


def lower_runs():
    """(first, last, step, distance): each step-th character of a run has one distance."""
    runs = []
    for code in range(0x80, 0x10000):
        lower = chr(code).lower()
        if len(lower) != 1 or lower == chr(code):
            continue
        distance = ord(lower) - code
        if runs and runs[-1][3] == distance:
            first, last, step, _ = runs[-1]
            if code - last == step or (first == last and code - last <= 2):
                runs[-1] = (first, code, code - last, distance)
                continue
        runs.append((code, code, 1, distance))
    return runs


def table(kind, name, rows):
    text = " ".join("{" + ",".join(str(value) for value in row) + "}," for row in rows)
    lines = "\n".join(textwrap.wrap(text, 98, break_long_words=False))
    return f"constexpr {kind} {name}[]{{\n{lines}\n}};\n"


def main():
    print(f"// Unicode {unicodedata.unidata_version}, written by scripts/unicode_tables.py.")
    print("// clang-format off")
    print(table("Composition", "kCompositions", sorted(compositions())), end="")
    print(table("LowerRun", "kLowerRuns", lower_runs()), end="")
    print("// clang-format on")


main()
