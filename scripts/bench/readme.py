#!/usr/bin/env python3
"""Writes the benchmark tables of docs/benchmarks.md, and the short one of README.md, from
scripts/bench/results/*.json, between their markers. Nothing there is typed.

usage: scripts/bench/readme.py [--check]

--check changes nothing and fails when a table is not what the results say.
"""
import json
import pathlib
import re
import sys

import busy_page
from gpu_page import page as gpu_page
from measure import machine_text
from predict_page import page as predict_page

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import markers  # noqa: E402

RESULTS = ROOT / "scripts" / "bench" / "results"
README = ROOT / "README.md"
BENCHMARKS = ROOT / "docs" / "benchmarks.md"


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
    header = ["target"] + [f"{result['size']}: {column}" for result in results for column in ("needed", "got")]
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


def results_of(name):
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob(f"{name}-*.json"))]


def pixel_revision():
    """What the programs write into shards today."""
    for file in sorted((ROOT / "preprocess").rglob("*.cpp")):
        found = re.search(r"kPixelRevision = (\d+)", file.read_text())
        if found:
            return found[1]
    raise SystemExit("readme.py: kPixelRevision was not found in preprocess/")


def section(name, size, where):
    """Tables of one benchmark's results; `where`: what the pictures are in, beside their number."""
    results = results_of(name)
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
    measured = re.search(r"pixels (\d+)", result["versions"]["shards by"])[1]
    if measured != pixel_revision():
        command = "scripts/bench/compression --set NAME SIZE LABELS [CLASSES] --json scripts/bench/results/compression.json"
        return (
            f"Not measured with pixel revision {pixel_revision()} yet (last with {measured}): `{command}`, "
            "then `scripts/bench/readme.py`."
        )
    header = ["set, side", "rows", "`--compress`", "MB", "of none", "built, rows/s", "read from memory, rows/s", "from the disk, rows/s"]
    lines = []
    for one in result["sets"]:
        for kind in ("none", "deflate"):
            measures = one[kind]
            rates = [number(measures[name]) for name in ("build_rows_per_s", "warm_rows_per_s", "cold_rows_per_s")]
            share = measures["bytes"] / one["none"]["bytes"]
            lines.append([f"{one['name']}, {one['size']}", number(one["rows"]), kind, number(measures["bytes"] / 1e6), f"{share:.2f}", *rates])
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
        f"`scripts/bench/evaluate`: {result['pictures']:,} drawn pictures of COCO's density; the twelve metrics differ by at most "
        f"{result['largest_difference']:.1g}; medians of {result['runs']} interleaved runs; {versions}."
    )
    names = {"figures": "metrics"}  # as results of earlier versions call them
    rows = [[names.get(row["what"], row["what"]), f"{row['pycocotools_s']:.3g} s", f"{row['letterpress_s']:.3g} s", number(row["ratio"])] for row in result["rows"]]
    return about + "\n\n" + markdown(["COCO's metrics", "pycocotools", "`eval`", "times as fast"], rows)


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


def scenes_section():
    path = RESULTS / "scenes.json"
    if not path.exists():
        return f"Not measured yet: `scripts/bench/scenes.py --json {path.relative_to(ROOT)}`, then `scripts/bench/readme.py`."
    result = json.loads(path.read_text())
    header = ["pictures", "of scenes", "first build, looking at each", "looks known, `--group auto`", "`--group none`", "grouping", "scenes in two splits"]
    rows = [[f"{row['pictures']:,}", f"{row['scenes']:,}", *(f"{row[name]:.3g} s" for name in ("first_s", "auto_s", "none_s", "grouping_s")),
             f"{row['scenes_in_two_splits']:,}"] for row in result["rows"]]
    return f"{machine_text(result['machine'])}.\n\n" + markdown(header, rows)


def busy_section():
    results = results_of("busy")
    if not results:
        return "Not measured yet: `scripts/bench/busy.py STORE --json scripts/bench/results/busy-256.json`, then `scripts/bench/readme.py`."
    return "\n\n".join(busy_tables(result) for result in results)


def busy_tables(result):
    about = f"{result['model']} at {result['size']}, batches of {result['batch']}; {machine_text(result['machine'])}."
    targets = [[target["name"], *target_cells(target)] for target in busy_page.targets(result["rows"])]
    return "\n\n".join([about, markdown(["target", "needed", "got"], targets), busy_page.table(result["rows"])])


def gpu_section():
    results = results_of("gpu")
    if not results:
        command = "scripts/bench/gpu STORE --json scripts/bench/results/gpu-NAME.json"
        return (f"Its tables are not measured yet: `{command}`, then `scripts/bench/readme.py`. What single commands printed on a GPU stands "
                "[above](#what-was-made-and-trained).")
    return "\n\n".join(gpu_page(result) for result in results)


def predict_section():
    results = results_of("predict")
    if not results:
        command = "scripts/bench/predict PICTURES --json scripts/bench/results/predict-640.json"
        return f"Not measured yet: `{command}`, then `scripts/bench/readme.py`."
    return "\n\n".join(predict_page(result) for result in results)


def ratio_text(name, target):
    """Its values at each measured size: "9.31 (416), 10.7 (640)"."""
    values = []
    for result in results_of(name):
        got = next((t["got"] for t in result["targets"] if t["name"] == target), None)
        values.append(f"{'not measured' if got is None else number(got)} ({result['size']})")
    return ", ".join(values) or "not measured"


def short_section():
    """The README's table: what a reader wants to know first."""
    evaluate = json.loads((RESULTS / "evaluate-5000.json").read_text())
    rebuilt = json.loads((RESULTS / "incremental.json").read_text())["rows"][-1]
    lines = [
        ["augmented rows per second, times those of Ultralytics' loader", ratio_text("preprocess", "detect recipe / Ultralytics' loader")],
        ["the same, times keras-yolo3's `get_random_data`",
         ratio_text("preprocess", "keras-yolo3, augmented rows / its get_random_data, 1 thread")],
        [f"a no-op build of {rebuilt['pictures']:,} photographs (a full one: {rebuilt['full_s']:.3g} s)", f"{rebuilt['nothing_s']:.3g} s"],
        ["prepared rows read per second, times the fastest other loader", ratio_text("loader", "bytes / the fastest peer")],
        ["share of training time spent waiting for data", ratio_text("train", "data_wait")],
        ["time of a training step / PyTorch eager, yolov3-tiny, fp32", ratio_text("train", "time of a step / PyTorch eager")],
        ["time of an epoch of yolov8n on BCCD / Ultralytics', bf16; fp32",
         ratio_text("epoch", "an epoch in bf16 / Ultralytics'") + "; " + ratio_text("epoch", "an epoch in fp32 / Ultralytics'")],
        ["COCO's metrics of 5,000 pictures, times as fast as pycocotools", number(evaluate["rows"][0]["ratio"])],
        ["a GPU", "[what commands printed](docs/benchmarks.md#what-was-made-and-trained) on one NVIDIA H200"],
    ]
    machines = dict.fromkeys(machine_text(results_of(kind)[0]["machine"]) for kind in ("preprocess", "loader", "train", "epoch"))
    about = f"{', or '.join(machines)}; sides of the frames in brackets."
    return about + "\n\n" + markdown(["what", "measured"], lines)


def sections():
    """{file: {marker: text}}"""
    return {
        README: {"results": short_section()},
        BENCHMARKS: {
            "preprocess": section("preprocess", 416, " in the page cache, store on a tmpfs"),
            "train": section("train", 416, ""),
            "epoch": section("epoch", 416, ""),
            "compression": compression_section(),
            "loader": section("loader", 640, ""),
            "evaluate": evaluate_section(),
            "incremental": incremental_section(),
            "scenes": scenes_section(),
            "busy": busy_section(),
            "predict": predict_section(),
            "gpu": gpu_section(),
        },
    }


def main():
    markers.write("scripts/bench/readme.py", sections())


if __name__ == "__main__":
    main()
