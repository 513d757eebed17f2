#!/usr/bin/env python3
"""Measures which lines of each parser the inputs of the fuzzers run: those of tests/fuzz/corpus, and with WORK those that fuzz.py has grown there.
Reads them by fuzz_corpus_test of the preset `coverage`, a parser at a time, and counts the lines of its functions: PARSERS says in which files
these are, and which functions of them are no parser's: those that write, and those that recognise a format, which the targets name.

usage: scripts/proof/parser_coverage.py [WORK] [--parsers NAME...] [--lines 90] [--jobs 2] [--missed] [--json FILE] | --check
--missed: names the functions of which lines were not run. --check: runs nothing, only whether PARSERS has every target, and files that are there."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

from coverage import BUILD, LLVM, run
from disturb import finish
from fuzz import CONFINED
from works import ROOT

PROMISE = "the inputs of the fuzzers run 90 % or more of the lines of each parser that read"
CORPUS = ROOT / "tests/fuzz/corpus"
TEST = BUILD / "tests/fuzz_corpus_test"
LABELS, STORES, WEIGHTS, PICTURES = "formats/annotations", "formats/shards/src", "formats/weights/src", "preprocess/pictures"
JSON, TABLES, XML, LINES = (f"{LABELS}/readers/{kind}" for kind in ("json", "tables", "xml", "lines"))
WRITING = "[wW]rit"
# {parser: (its targets, globs of its files, what the names of functions match that are no part of it)}
PARSERS = {
    "cifar": (["labels-cifar", "labels-cifar-classes"], [f"{LABELS}/readers/folders/cifar.cpp"], "recognise_cifar$|wrong_label$"),
    "checkpoint's metadata": (["checkpoint"], ["trainer/checkpoint/info.cpp"], ""),
    "coco": (["labels-coco"], [f"{JSON}/coco*.cpp"], ""),
    "coco's results and ground truth": (["coco-ground-truth", "coco-results"], ["formats/detections/src/read_coco.cpp"], ""),
    "configuration": (["configuration"], ["commandline/src/configuration_file.cpp"], ""),
    "createml": (["labels-createml"], [f"{JSON}/createml.cpp"], ""),
    "csv": (["labels-csv"], [f"{TABLES}/csv*.cpp", f"{LABELS}/shared/csv_records.cpp"], ""),
    "cvat": (["labels-cvat"], [f"{XML}/cvat.cpp"], ""),
    "darknet's data": (["labels-darknet"], [f"{LINES}/darknet_dataset.cpp"], "class_list|names_in_notes"),
    "darknet's weights": (["weights-darknet"], [f"{WEIGHTS}/darknet.cpp"], f"{WRITING}|append"),
    "exif": (["picture-exif"], [f"{PICTURES}/exif.cpp"], ""),
    "fiftyone": (["labels-fiftyone"], [f"{JSON}/fiftyone.cpp"], ""),
    "graph": (["graph"], ["formats/models/src/graph_json.cpp", "formats/models/src/layer_fields.cpp"], ""),
    "huggingface": (["labels-huggingface"], [f"{JSON}/huggingface.cpp"], ""),
    "jpeg": (["picture-jpeg", "picture-any"], [f"{PICTURES}/jpeg_header.cpp", f"{PICTURES}/decode_jpeg.cpp"], ""),
    "keras": (["labels-keras"], [f"{LINES}/keras.cpp"], ""),
    "keras's weights": (["weights-keras", "weights-pytorch", "weights-any"], [f"{WEIGHTS}/keras*.cpp"], ""),
    "kitti": (["labels-kitti"], [f"{LINES}/kitti*.cpp"], ""),
    "label-studio": (["labels-label-studio"], [f"{JSON}/label_studio*.cpp"], ""),
    "labelbox": (["labels-labelbox"], [f"{JSON}/labelbox.cpp"], ""),
    "labelme": (["labels-labelme"], [f"{JSON}/labelme*.cpp"], ""),
    "ledger": (["ledger"], [f"{STORES}/ledger.cpp"], f"{WRITING}|check_rows|has_tiles"),
    "onnx metadata": (["onnx-metadata"], ["formats/models/src/onnx_metadata.cpp"], ""),
    "open-images": (["labels-open-images"], [f"{TABLES}/open_images.cpp"], ""),
    "other pictures": (["picture-any", "picture-bmp", "picture-tiff", "picture-webp"],
                       [f"{PICTURES}/other_headers.cpp", f"{PICTURES}/decode_other.cpp", f"{PICTURES}/tiff_*.cpp"], ""),
    "pin": (["pin"], [f"{STORES}/pin.cpp"], "Pin::(Pin|renew|release|unfinished)$|file_name$|host_name$"),
    "plan": (["plan"], [f"{STORES}/plan.cpp"], f"{WRITING}|plan_digest|has_tiles|has_outlines"),
    "png": (["picture-png", "picture-any"], [f"{PICTURES}/png_*.cpp", f"{PICTURES}/decode_png.cpp"], ""),
    "pytorch's weights": (["pickle", "weights-pytorch", "weights-any"], [f"{WEIGHTS}/pickle*.cpp", f"{WEIGHTS}/pytorch*.cpp"], ""),
    "quarantine": (["quarantine"], [f"{STORES}/quarantine.cpp"], ""),
    "recipe": (["recipe"], ["preprocess/recipe/parse_recipe.cpp"], ""),
    "recipe of a store": (["recipe", "recipe-json"], ["preprocess/recipe/recipe_json.cpp"], "Recipe::with_"),
    "record": (["record"], [f"{STORES}/shard_record.cpp"], ""),
    "run's state": (["run-state"], ["trainer/fit/opening/run_state.cpp"], ""),
    "safetensors": (["safetensors", "weights-any"], [f"{WEIGHTS}/safetensors*.cpp"], f"{WRITING}|header_of|header_text|file_order"),
    "shard": (["shard"], [f"{STORES}/shard_reader.cpp", f"{STORES}/shard_content.cpp"], "check_digest$|first_damaged_row$|::descriptor$|::stored_pixels$|::operator=$|::path$|::spec$"),
    "snapshot": (["snapshot"], [f"{STORES}/snapshot.cpp", f"{STORES}/check_snapshot.cpp"], "draw_of|brightness"),
    "supervisely": (["labels-supervisely"], [f"{JSON}/supervisely.cpp"], ""),
    "tar": (["tar", "tar-compressed"], [f"{LABELS}/files/tar_headers.cpp", f"{LABELS}/files/uncompress.cpp", f"{LABELS}/files/unpacked_tar.cpp"], ""),
    "via": (["labels-via"], [f"{JSON}/via.cpp"], ""),
    "voc": (["labels-voc", "labels-voc-lists"], [f"{XML}/voc*.cpp", f"{XML}/xml_*.cpp"], ""),
    "yolo": (["labels-yolo", "labels-yolo-data", "labels-yolo-list"],
             [f"{LABELS}/shared/data_yaml.cpp", *(f"{LINES}/{part}.cpp" for part in ("yolo_labels", "yolo_shapes", "yolo_dataset", "yaml_size", "stated_paths"))],
             "states_a_set|data_yaml_in"),
    "zip": (["zip"], ["formats/zip/src/zip_archive.cpp"], "ZipArchive::find$"),
}
# A line of `llvm-cov report -show-functions`: name, regions, missed, covered, lines, missed, ...
FUNCTION = re.compile(r"(?P<name>\S.*?) +\d+ +\d+ +[\d.]+% +(?P<lines>\d+) +(?P<missed>\d+) +[\d.]+%.*")


def inputs(targets, work):
    """(target, folder)"""
    places = [CORPUS, *([work / "grown"] if work else [])]
    folders = [(target, place / target) for target in targets for place in places]
    return [(target, folder) for target, folder in folders if folder.is_dir() and any(folder.iterdir())]


def read_all(parser, options):
    """The merged counts of what reads all inputs, and the folders whose reader ended badly: what HDF5 dies of is left out, as fuzz.py does."""
    counts = BUILD / "parsers" / parser
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    ended_badly = []
    for target, folder in inputs(PARSERS[parser][0], options.work):
        copies = counts / "inputs"
        shutil.rmtree(copies, ignore_errors=True)
        shutil.copytree(folder, copies, ignore=shutil.ignore_patterns("found-*") if target.startswith(CONFINED) else None)
        ended = run(TEST, "--test-case=every input of the corpus is read*", check=False, LLVM_PROFILE_FILE=f"{counts}/%c%m.profraw",
                    LETTERPRESS_FUZZ_TARGET=target, LETTERPRESS_FUZZ_INPUTS=str(copies), LETTERPRESS_CONFINED="0")
        if ended.returncode != 0:
            ended_badly.append([str(folder), f"its reader ended with {ended.returncode}"])
    merged = counts / "merged.profdata"
    run(f"llvm-profdata{LLVM}", "merge", "-sparse", "-o", merged, *counts.glob("*.profraw"))
    return merged, ended_badly


def functions(profile, files):
    """{name: (lines, those not run)}"""
    told = subprocess.run([f"llvm-cov{LLVM}", "report", "-show-functions", "-Xdemangler=c++filt", f"-instr-profile={profile}", TEST, *files],
                          capture_output=True, text=True, check=True).stdout
    found = [match for match in map(FUNCTION.fullmatch, told.splitlines()) if match and match["name"] != "TOTAL"]
    return {match["name"]: (int(match["lines"]), int(match["missed"])) for match in found}


def bare(function):
    """Its name, without what it is given: "letterpress::ShardReader::path"."""
    return re.sub(r"\(anonymous namespace\)::|\[abi:cxx11\]", "", function).split("(")[0]


def measure(parser, options):
    _, globs, leave_out = PARSERS[parser]
    files = [path for pattern in globs for path in sorted(ROOT.glob(pattern))]
    profile, ended_badly = read_all(parser, options)
    found = functions(profile, files)
    kept = {name: counts for name, counts in found.items() if not (leave_out and re.search(leave_out, bare(name)))}
    lines, missed = (sum(counts[i] for counts in kept.values()) for i in (0, 1))
    return {"cases": lines, "of": lines, "outcomes": {"run": lines - missed}, "percent": round(100 * (lines - missed) / lines, 1),
            "missed": {name: f"{missing} of {of}" for name, (of, missing) in kept.items() if missing}, "wrong": ended_badly}


def gaps():
    """What PARSERS lacks."""
    known = {target for targets, *_ in PARSERS.values() for target in targets}
    lacks = [f"no parser of target {folder.name}" for folder in sorted(CORPUS.iterdir()) if folder.name not in known]
    return lacks + [f"{name}: no file is {pattern}" for name, (_, globs, _) in PARSERS.items() for pattern in globs if not any(ROOT.glob(pattern))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("work", type=pathlib.Path, nargs="?", metavar="WORK")
    parser.add_argument("--parsers", nargs="+", default=sorted(PARSERS))
    parser.add_argument("--lines", type=float, default=90)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if lacks := gaps():
        parser.error("; ".join(lacks))
    if options.check:
        return 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        works = dict(zip(options.parsers, pool.map(lambda name: measure(name, options), options.parsers)))
    for name, work in works.items():
        missed = work.pop("missed")
        if work["percent"] < options.lines:
            work["wrong"].append([name, f"{work['percent']} % of its lines are run, must be {options.lines} % or more"])
        print(f"{name}: {work['percent']} % of {work['of']} lines", flush=True)
        if options.missed:
            for function, counts in missed.items():
                print(f"  {counts}  {function}")
    least = min(works, key=lambda name: works[name]["percent"])
    summary = f"{len(works)} parsers, {sum(work['of'] for work in works.values()):,} lines; the least of a parser {works[least]['percent']} % ({least})"
    return finish(options, PROMISE, works, "lines", summary)


if __name__ == "__main__":
    raise SystemExit(main())
