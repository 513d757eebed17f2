#!/usr/bin/env python3
"""Writes what the programs say of themselves into the documentation: docs/reference/flags.md from
`PROGRAM reference`, and the tables of docs/how-to/recipes.md from `letterpress-preprocess recipes`.

usage: scripts/docs/reference.py [--bin build/release/bin] [--check]

--check changes nothing and fails when a page is not what the programs say.
"""

import argparse
import pathlib
import subprocess

import markers

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ROOT / "docs" / "reference" / "flags.md"
RECIPES = ROOT / "docs" / "how-to" / "recipes.md"
PROGRAMS = ["letterpress-preprocess", "letterpress-trainer", "letterpress-predict"]
HEAD = """<!-- written by scripts/docs/reference.py -->
# Flags

All commands and flags, as the programs print them (`PROGRAM reference`). `PROGRAM completion bash`,
or zsh or fish, prints a script that completes them in that shell; `PROGRAM manual COMMAND` prints a man page.
"""


def output(*words):
    return subprocess.run(
        [str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def demoted(text):
    """Headings one level lower, since the page has one of its own."""
    return "".join(
        "#" + line if line.startswith("#") else line for line in text.splitlines(keepends=True)
    )


def flags_page(folder):
    return HEAD + "".join(
        "\n" + demoted(output(folder / program, "reference")) for program in PROGRAMS
    )


def recipes_page(folder):
    table = output(folder / "letterpress-preprocess", "recipes").removesuffix("\n")
    return markers.page_with(RECIPES, "scripts/docs/reference.py", {"recipes": table})


def main():
    parser = argparse.ArgumentParser(
        description="writes the pages that the programs' own output makes"
    )
    parser.add_argument(
        "--bin",
        type=pathlib.Path,
        default=ROOT / "build" / "release" / "bin",
        help="folder of the programs",
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing, fail when a page is out of date"
    )
    arguments = parser.parse_args()
    for page, text in ((FLAGS, flags_page(arguments.bin)), (RECIPES, recipes_page(arguments.bin))):
        if page.exists() and page.read_text() == text:
            continue
        if arguments.check:
            raise SystemExit(
                f"reference.py: {page.relative_to(ROOT)} is not what the programs say; run scripts/docs/reference.py"
            )
        page.write_text(text)


if __name__ == "__main__":
    main()
