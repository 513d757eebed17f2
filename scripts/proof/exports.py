#!/usr/bin/env python3
"""Writes small sets in the layouts that annotation tools export, gives each folder to `build` by one --input, and compares what `unpack` gives
back; `lint` reads each store too.

usage: scripts/proof/exports.py --work FOLDER [--bin build/dev/bin]
       scripts/proof/exports.py --work FOLDER --test   # writes no results; fails unless each layout goes in with its splits and boxes
       scripts/proof/exports.py --page   # only writes the table of docs/how-to/label-formats.md anew; --check: fails when it is not that

Needs Pillow. supervision, pylabel, globox, datumaro and label-studio-sdk write their own layouts where they are installed, else those lines are
left out; the others are written after the tools' documented layouts. Each set is of 4 train pictures and 2 of val where its tool knows splits, else of 6, with
one box each.
"""
import argparse
import importlib.metadata
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/proof"), str(ROOT / "scripts/docs")]
import markers  # noqa: E402

RESULT = ROOT / "scripts/proof/results/exports.json"
PAGE = ROOT / "docs/how-to/label-formats.md"
SIDE = 64  # of the store: pictures of 48 x 36 become 64 x 48, which `unpack` gives back
IN_FRAME = (8, 12, 32, 24)  # exports_sets.BOX there: x, y, width, height
CLASS = "nut"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def boxes_in(folder):
    """{split: boxes} of an unpacked set, and whether each picture is in its split and each box where it was written, of its class."""
    counts, right = {}, True
    for path in sorted(folder.glob("*.json")):
        unpacked = json.loads(path.read_text())
        boxes = [one["bbox"] for one in unpacked["annotations"]]
        counts[path.stem] = len(boxes)
        right &= all(abs(got - wanted) < 0.1 for box in boxes for got, wanted in zip(box, IN_FRAME))
        names = {one["id"]: one["name"] for one in unpacked["categories"]}
        right &= all(names[one["category_id"]] == CLASS for one in unpacked["annotations"])
        if path.stem == "val":
            right &= all(pathlib.Path(one["file_name"]).stem.startswith("b") for one in unpacked["images"])
    return counts, right


def outcome(program, one, work):
    """What build, unpack and lint make of a layout."""
    for name in ("store", "out"):
        shutil.rmtree(work / name, ignore_errors=True)
    built = run(program, "build", "--input", one.labels, "--store", work / "store", "--size", SIDE, "--views", "0", "--recipe", "none", *one.flags)
    if built.returncode:
        name = "letterpress-preprocess build: "
        said = next((line for line in built.stderr.splitlines() if line.startswith(name)), built.stderr).removeprefix(name)
        return {"exit": built.returncode, "said": said.removeprefix(f"{one.labels}: ").split("; ")[0].split(":")[-1].strip()}
    unpacked = run(program, "unpack", "--store", work / "store", "--out", work / "out", "--to", "coco")
    lint = run(program, "lint", "--store", work / "store")
    if unpacked.returncode and "labels of whole pictures" in unpacked.stderr:
        return {"exit": 0, "splits": {}, "in_place": False}
    if unpacked.returncode or lint.returncode:
        raise SystemExit(f"exports.py: {one.labels}: {unpacked.stderr}{lint.stderr}")
    splits, right = boxes_in(work / "out")
    return {"exit": 0, "splits": splits, "in_place": right}


def measure(options):
    if importlib.util.find_spec("PIL") is None:
        print("skipped: no Pillow; pip install pillow")
        raise SystemExit(77)
    import exports_files  # noqa: F401
    import exports_packages  # noqa: F401
    import exports_sets
    import exports_shapes  # noqa: F401
    import exports_tools  # noqa: F401
    options.work.mkdir(parents=True, exist_ok=True)
    rows = []
    for one in exports_sets.write_all(options.work):
        row = {"tool": one.tool, "layout": one.layout, "written_by": one.written_by, "wanted": one.wanted,
               "flags": " ".join(pathlib.Path(flag).name for flag in one.flags)}
        row["got"] = outcome(options.bin / "letterpress-preprocess", one, options.work)
        rows.append(row)
        print(f"{row['tool']}, {row['layout']}: {text(row['got'], row['wanted'])}", flush=True)
    versions = {name: importlib.metadata.version(name) for name in exports_sets.WRITERS if exports_sets.is_installed(name)}
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {"date": time.strftime("%Y-%m-%d"), "commit": commit, "packages": versions, "rows": rows}


def is_right(said, wanted):
    return said["exit"] == 0 and said["splits"] == wanted and said["in_place"]


def text(said, wanted):
    if said["exit"]:
        return f"refused: {said['said']}"
    if not said["splits"]:
        return "**folders read as classes of pictures**"
    splits = ", ".join(f"{name} {n}" for name, n in said["splits"].items())
    return splits + ("" if said["in_place"] else "; **boxes or classes elsewhere**") + ("" if said["splits"] == wanted else "; **splits lost**")


def page():
    result = json.loads(RESULT.read_text())
    rows = result["rows"]
    good = sum(is_right(row["got"], row["wanted"]) for row in rows)
    versions = ", ".join(f"{name} {version}" for name, version in result["packages"].items())
    lines = [f"Of {len(rows)} layouts, {good} go in by one `--input` with their splits and with each box in its place. Written by {versions}, else after the "
             f"tool's description; {result['date']}, commit {result['commit']}.", "",
             "| tool | layout | written by | boxes by one `--input` |", "|---|---|---|---|"]
    for row in rows:
        told = text(row["got"], row["wanted"]).replace("|", "\\|")
        flags = f"; with `{row['flags']}`" if row["flags"] else ""
        lines.append(f"| {row['tool']} | `{row['layout']}`{flags} | {row['written_by']} | {told} |")
    return markers.page_with(PAGE, "scripts/proof/exports.py", {"exports": "\n".join(lines)})


def main(words):
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--test", action="store_true")
    options = parser.parse_args(words)
    if options.check and page() != PAGE.read_text():
        raise SystemExit(f"exports.py: the table of {PAGE.name} is not what {RESULT.name} says; run scripts/proof/exports.py --page")
    if options.check:
        return
    if not options.page:
        if not options.work:
            raise SystemExit("exports.py: --work FOLDER is needed, for the sets that are written")
        measured = measure(options)
        if options.test:
            wrong = [row for row in measured["rows"] if not is_right(row["got"], row["wanted"])]
            raise SystemExit("".join(f"exports.py: {row['tool']}, {row['layout']}: got {row['got']}, wanted {row['wanted']}\n" for row in wrong) or None)
        RESULT.write_text(json.dumps(measured, indent=1) + "\n")
    PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
