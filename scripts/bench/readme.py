#!/usr/bin/env python3
"""Writes the README's benchmark tables from scripts/bench/results/*.json, between their markers. Nothing there is typed.

usage: scripts/bench/readme.py [--check]    --check: changes nothing, fails when a table is not what the results say
"""
import json
import pathlib
import sys

from measure import machine_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "scripts" / "bench" / "results"
README = ROOT / "README.md"


def markdown(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def target_cells(target):
    if target is None:
        return ["", ""]
    if target["got"] is None:
        return [f"{target['bound']} {target['wanted']:.3g}", "not measured"]
    mark = "" if target["met"] else " (missed)"
    return [f"{target['bound']} {target['wanted']:.3g}", number(target["got"]) + mark]


def target_table(results):
    names = list(dict.fromkeys(target["name"] for result in results for target in result["targets"]))
    header = ["target"] + [f"{result['size']}: {column}" for result in results for column in ("wanted", "got")]
    rows = []
    for name in names:
        found = [next((t for t in result["targets"] if t["name"] == name), None) for result in results]
        rows.append([name] + [cell for target in found for cell in target_cells(target)])
    return markdown(header, rows)


def rate_table(results):
    keys = list(dict.fromkeys((row["name"], row["threads"], row["unit"]) for result in results for row in result["rows"]))
    what = {row["name"]: row["what"] for result in results for row in result["rows"]}
    header = ["what", "threads"] + [f"{result['size']}" for result in results]
    lines = []
    for name, threads, unit in keys:
        medians = [next((row["median"] for row in result["rows"] if (row["name"], row["threads"]) == (name, threads)), None) for result in results]
        cells = ["" if median is None else f"{number(median)} {unit}" for median in medians]
        lines.append([f"{name}: {what[name]}", str(threads), *cells])
    return markdown(header, lines)


def section(name, size, where):
    """Tables of one benchmark's results; `where`: what the pictures are in, beside their number."""
    results = [json.loads(path.read_text()) for path in sorted(RESULTS.glob(f"{name}-*.json"))]
    if not results:
        command = f"scripts/bench/{name} --size {size} --json scripts/bench/results/{name}-{size}.json"
        return f"Not measured on a quiet machine yet: `{command}`, then `scripts/bench/readme.py`."
    results.sort(key=lambda result: result["size"])
    first = results[0]
    versions = ", ".join(f"{name} {version}" for name, version in sorted(first["versions"].items()))
    about = (
        f"`scripts/bench/{name} --size {' / '.join(str(result['size']) for result in results)}`: {first['pictures']}{where}; "
        f"{machine_text(first['machine'])}; medians of {first['runs']} interleaved runs; {versions}."
    )
    missing = [f"Not measured: {peer}: {reason}." for peer, reason in first.get("missing", {}).items()]
    return "\n\n".join([about, target_table(results), rate_table(results), *missing])


def compression_section():
    path = RESULTS / "compression.json"
    if not path.exists():
        command = "scripts/bench/compression --set NAME SIZE LABELS [CLASSES] --json scripts/bench/results/compression.json"
        return f"Not measured on a quiet machine yet: `{command}`, then `scripts/bench/readme.py`."
    result = json.loads(path.read_text())
    header = ["set, side", "rows", "`--compress`", "MB", "of none", "built, rows/s", "read from memory, rows/s", "from the disk, rows/s"]
    lines = []
    for one in result["sets"]:
        for kind in ("none", "deflate"):
            figures = one[kind]
            rates = [number(figures[name]) for name in ("build_rows_per_s", "warm_rows_per_s", "cold_rows_per_s")]
            share = figures["bytes"] / one["none"]["bytes"]
            lines.append([f"{one['name']}, {one['size']}", number(one["rows"]), kind, number(figures["bytes"] / 1e6), f"{share:.2f}", *rates])
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result["versions"].items()))
    about = (
        f"{machine_text(result['machine'])}; medians of {result['runs']} interleaved runs; two threads; "
        f"{versions}."
    )
    return "\n\n".join([about, markdown(header, lines)])


def evaluate_section():
    path = RESULTS / "evaluate-5000.json"
    if not path.exists():
        return f"Not measured yet: `scripts/bench/evaluate --json {path.relative_to(ROOT)}`, then `scripts/bench/readme.py`."
    result = json.loads(path.read_text())
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result["versions"].items()))
    about = (
        f"`scripts/bench/evaluate`: {result['pictures']:,} drawn pictures of COCO's density; the twelve figures differ by at most "
        f"{result['largest_difference']:.1g}; medians of {result['runs']} interleaved runs; {versions}."
    )
    rows = [[row["what"], f"{row['pycocotools_s']:.3g} s", f"{row['letterpress_s']:.3g} s", number(row["ratio"])] for row in result["rows"]]
    return about + "\n\n" + markdown(["COCO's figures", "pycocotools", "`eval`", "times as fast"], rows)


def incremental_section():
    path = RESULTS / "incremental.json"
    if not path.exists():
        return f"Not measured on a quiet machine yet: `scripts/bench/incremental.py --json {path.relative_to(ROOT)}`, then `scripts/bench/readme.py`."
    result = json.loads(path.read_text())
    header = ["labels, pictures", "full build", "nothing new", "1 % more", "1 % more / full"]
    rows = []
    for row in result["rows"]:
        seconds = [f"{row[name]:.3g} s" for name in ("full_s", "nothing_s", "one_percent_s")]
        share = f"{100 * row['one_percent_s'] / row['full_s']:.2g} %"
        rows.append([f"{row['labels']}, {row['pictures']:,} of {row['what']}", *seconds, share])
    return f"{machine_text(result['machine'])}.\n\n" + markdown(header, rows)


def replaced(text, name, section):
    begin, end = f"<!-- begin {name}: written by scripts/bench/readme.py -->", f"<!-- end {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"readme.py: {README.name} has no one pair of markers '{begin}' and '{end}'")
    head, rest = text.split(begin)
    return head + begin + "\n" + section + "\n" + end + rest.split(end)[1]


def main():
    old = README.read_text()
    new = replaced(old, "preprocess", section("preprocess", 416, " in the page cache, store on a tmpfs"))
    new = replaced(new, "train", section("train", 416, ""))
    new = replaced(new, "epoch", section("epoch", 416, ""))
    new = replaced(new, "compression", compression_section())
    new = replaced(new, "loader", section("loader", 640, ""))
    new = replaced(new, "evaluate", evaluate_section())
    new = replaced(new, "incremental", incremental_section())
    if sys.argv[1:] == ["--check"]:
        if new != old:
            raise SystemExit("readme.py: the README's tables are not what the results say; run scripts/bench/readme.py")
    elif sys.argv[1:]:
        raise SystemExit(f"readme.py: unknown argument '{sys.argv[1]}'; known: --check")
    else:
        README.write_text(new)


if __name__ == "__main__":
    main()
