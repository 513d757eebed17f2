#!/usr/bin/env python3
"""Gives the fuzzers the files that the tests write: runs tests under the library of tests/faults, which logs each write with its bytes, and lets
libFuzzer keep in WORK, where fuzz.py goes on from, what of them reaches something new in a parser.
usage: scripts/proof/harvest.py WORK [--tests NAME...] [--targets NAME...] [--bin build/fuzz/bin] [--tests-bin build/ci/tests] [--library FILE]"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

from fuzz import CORPUS, LIMITS, run
from works import ROOT, Call, existing_library

TESTS = ("annotations", "commandline", "detections", "models", "options", "pictures", "recipe", "weights")
LARGEST = 24 << 10  # bytes
# {start of a target's name: what the files' content begins with, which the target puts there itself}
BEGINS = {"picture-bmp": b"BM", "picture-jpeg": b"\xff\xd8", "picture-png": b"\x89PNG\r\n\x1a\n", "picture-tiff": b"II*\0", "picture-webp": b"RIFF",
          "weights-keras": b"\x89HDF\r\n\x1a\n", "weights-pytorch": b"PK\3\4", "zip": b"PK\3\4"}
# {target: endings of the files that may be its}; none: all
ENDINGS = {"configuration": (".toml", ".txt"), "graph": (".json",), "labels-cvat": (".xml",), "labels-darknet": (".data",), "labels-voc": (".xml",),
           "labels-yolo-data": (".yaml", ".yml"), "recipe": (".toml",), "recipe-json": (".json",), "safetensors": (".safetensors",)}
ENDINGS |= dict.fromkeys(("labels-csv", "labels-open-images"), (".csv", ".tsv", ".txt"))
ENDINGS |= dict.fromkeys(("labels-keras", "labels-kitti", "labels-voc-lists", "labels-yolo", "labels-yolo-list"), (".txt",))
ENDINGS |= dict.fromkeys(("coco-ground-truth", "coco-results", *(f"labels-{name}" for name in (
    "coco", "createml", "fiftyone", "huggingface", "label-studio", "labelbox", "labelme", "supervisely", "via"))), (".json", ".jsonl", ".ndjson"))


def files_of(log):
    """(ending, content) of each file that was written from its start; of one that was written anew, each time. Its ending is that of its last name."""
    written, files = {}, []
    with open(log, errors="replace") as lines:
        for call in map(Call, lines):
            name = call.path.removesuffix(" (deleted)")
            if call.operation in ("rename", "link") and name in written:
                files += [(ending_of(call.other), written.pop(call.other, b""))]
                written[call.other] = written.pop(name)
            elif call.operation == "write" and call.size <= LARGEST:
                if call.offset == 0:
                    files.append((ending_of(name), written.pop(name, b"")))
                if len(written.get(name, b"")) == call.offset < LARGEST:
                    written[name] = written.get(name, b"") + call.bytes
    return [(ending, content) for ending, content in files + [(ending_of(name), content) for name, content in written.items()] if content]


def ending_of(name):
    return pathlib.Path(name).suffix.lower()


def written_by(test, options, folder):
    """What it writes below its folder for temporary files."""
    log, files = folder / "log", folder / "files"
    log.unlink(missing_ok=True)
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    watch = {"LD_PRELOAD": options.library, "LETTERPRESS_FAULTS_BELOW": files, "LETTERPRESS_FAULTS_LOG": log, "LETTERPRESS_FAULTS_CALLS": "changes",
             "LETTERPRESS_FAULTS_DATA": "1", "TMPDIR": files}
    # Whether it passes is not the question: calls are slower under the library.
    subprocess.run([options.tests_bin.resolve() / f"{test}_test"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   env={**os.environ, **{name: str(value) for name, value in watch.items()}})
    found = set(files_of(log)) if log.exists() else set()
    print(f"{test}: {len(found)} files", flush=True)
    return found


def give(options, target, found, folder):
    endings, begin = ENDINGS.get(target), BEGINS.get(target, b"")
    mine = {content[len(begin):] for ending, content in found if content.startswith(begin) and (not endings or ending in endings)}
    inputs, grown = folder / "inputs", options.work / "grown" / target
    shutil.rmtree(inputs, ignore_errors=True)
    inputs.mkdir()
    grown.mkdir(parents=True, exist_ok=True)
    for at, content in enumerate(sorted(mine)):
        (inputs / str(at)).write_bytes(content)
    before = len(list(grown.iterdir()))
    run(options, target, "-merge=1", *LIMITS, grown, inputs)
    print(f"{target}: {len(list(grown.iterdir())) - before} of {len(mine)} are new", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--targets", nargs="+", default=sorted(path.name for path in CORPUS.iterdir()))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/fuzz/bin")
    parser.add_argument("--tests-bin", type=pathlib.Path, default=ROOT / "build/ci/tests")
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build/ci/tests/libletterpress_faults.so")
    options = parser.parse_args()
    options.library, options.work = existing_library(options.library), options.work.resolve()
    with tempfile.TemporaryDirectory(prefix="harvest-") as name:
        folder = pathlib.Path(name)
        found = set().union(*(written_by(test, options, folder) for test in options.tests))
        for target in options.targets:
            give(options, target, found, folder)


if __name__ == "__main__":
    main()
