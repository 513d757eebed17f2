#!/usr/bin/env python3
"""Gives each parser the inputs that clang's libFuzzer grows, guided by coverage, under the address and undefined-behaviour sanitizers: none
may crash, read outside, take more than 5 s or allocate more than 128 MiB at once. What was grown is kept in WORK and goes on from there;
--keep, a run of its own, puts those of its inputs that reach most into tests/fuzz/corpus, which the tests replay.
usage: scripts/proof/fuzz.py WORK [--seconds 60] [--targets NAME...] [--jobs 1] [--keep] [--bin build/fuzz/bin] [--json FILE]
Build it with: cmake --preset fuzz && cmake --build --preset fuzz"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

from disturb import finish
from works import ROOT

PROMISE = "no bytes make a parser crash, read outside, hang, or allocate without bound"
CORPUS = ROOT / "tests/fuzz/corpus"
KEPT_FILES, KEPT_BYTES = 32, 32 << 10  # of a target, beside its first inputs
LIMITS = ("-timeout=5", "-malloc_limit_mb=128", "-rss_limit_mb=2048", "-detect_leaks=0")  # HDF5 leaks when it refuses a file
# HDF5 itself is not instrumented. It bears a malloc of a damaged size, which returns null; our own `new` of such a size is a finding all the same.
ENVIRONMENT = {"ASAN_OPTIONS": "allocator_may_return_null=1:handle_sigbus=0:detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
# Outside of a fuzzer HDF5 reads weight files in a process of its own (formats/base/confined.h), which may die of it: then that is a message.
CONFINED, IN_HDF5 = "weights-", "faults of HDF5 in its own process"


def program(options, target):
    """The one whose group has the target."""
    group = {"labels": "labels", "tar": "labels", "zip": "labels", "picture": "pictures", "weights": "weights", "pickle": "weights", "safetensors": "weights"}
    group |= dict.fromkeys(("ledger", "pin", "plan", "quarantine", "record", "shard", "snapshot"), "stores") | dict.fromkeys(("checkpoint", "run"), "runs")
    return options.bin / f"letterpress-fuzz-{group.get(target.split('-')[0], 'texts')}"


def run(options, target, *words, confined="0"):
    """Exit code, standard error, CPU seconds. confined: whether weight files are read in a process of their own."""
    words = [*words, *([] if any(str(word).startswith("-artifact_prefix") for word in words) else [f"-artifact_prefix={options.work}/"])]
    process = subprocess.Popen([str(word) for word in (program(options, target), *words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               errors="replace", env={**os.environ, **ENVIRONMENT, "LETTERPRESS_FUZZ_TARGET": target, "LETTERPRESS_CONFINED": confined})
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, told, used.ru_utime + used.ru_stime


def number(name, text):
    found = re.findall(name + r":?\s+(\d+)", text)
    return int(found[-1]) if found else 0


def gains(told):
    """The numbers of the inputs that reached an edge which none before had, nor the files that the run began with: of lines
    "#1234 NEW cov: 567 ft: ..." behind "#1000 INITED cov: 560 ft: ..."."""
    lines = re.findall(r"^#(\d+)\s+(\w+).*cov: (\d+)", told, re.M)
    edges = next((int(reached) for _, kind, reached in lines if kind == "INITED"), None)
    for at, _, reached in lines if edges is not None else ():
        if int(reached) > edges:
            edges = int(reached)
            yield int(at)


def innermost(stack):
    return re.findall(r"^ *#[01] .*$", stack, re.M)[:2]


def is_of_hdf5(told):
    """Whether the fault is HDF5's own: it, or what it called from the C library, is innermost; and so it is where the memory was allocated. Or it takes
    so much memory, which is bounded outside of a sanitizer."""
    if "libFuzzer: out-of-memory" in told:
        return True
    fault, _, allocated = told.partition("allocated by thread")
    return all(any("libhdf5" in frame for frame in innermost(stack)) for stack in (fault, allocated) if stack)


def is_told(options, target, artifact):
    """Whether the input that HDF5 dies of is a message where it is read in a process of its own."""
    return run(options, target, artifact, confined="1")[0] == 0


def seeds_of(options, target):
    """The corpus, for libFuzzer to begin with; but not the inputs that HDF5 dies of."""
    seeds = options.work / "seeds" / target
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir(parents=True)
    for path in (CORPUS / target).iterdir():
        if not (target.startswith(CONFINED) and path.name.startswith("found-")):
            shutil.copy(path, seeds)
    return seeds


def fuzz(options, target, done):
    """For so many seconds, begun again where HDF5 died."""
    until = time.monotonic() + options.seconds
    while (left_s := until - time.monotonic()) > 0 and grow(options, target, done, max(1, round(left_s))):
        pass


def grow(options, target, done, seconds):
    """A finding ends a run; what led to it stays in WORK/findings. Returns whether to go on."""
    grown, findings = options.work / "grown" / target, options.work / "findings"
    grown.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    largest = max(path.stat().st_size for path in (CORPUS / target).iterdir())
    seeds = seeds_of(options, target)
    code, told, used_s = run(options, target, grown, seeds, f"-max_total_time={seconds}", f"-max_len={max(4096, largest)}",
                             f"-artifact_prefix={findings}/{target}-", "-print_final_stats=1", "-close_fd_mask=1", *LIMITS)
    mine = done[target]
    tried = number("stat::number_of_executed_units", told) or int((re.findall(r"#(\d+)", told) or [0])[-1])
    mine["newest"] = max([mine.get("newest", mine["cases"]), *(mine["cases"] + at for at in gains(told))])
    mine["cases"] = mine["of"] = mine["cases"] + tried
    mine["cpu_s"] = round(mine["cpu_s"] + used_s, 1)
    mine["outcomes"]["edges"] = max(number("cov", told), mine["outcomes"].get("edges", 0))
    artifact = re.search(r"Test unit written to (\S+)", told)
    began = tried > len(list(seeds.iterdir()))
    contained = code != 0 and target.startswith(CONFINED) and began and is_of_hdf5(told) and artifact and is_told(options, target, artifact[1])
    if contained:
        mine["outcomes"][IN_HDF5] = mine["outcomes"].get(IN_HDF5, 0) + 1
    elif code != 0:
        lines = [line for line in told.splitlines() if re.search("ERROR|SUMMARY|broken promise|runtime error|Test unit written", line)]
        mine["wrong"].append([target, "; ".join(lines)[-600:]])
        print(f"{target}: {mine['wrong'][-1][1]}", flush=True)
    print(f"{target}: {tried} inputs, {mine['outcomes']['edges']} edges, {mine['cpu_s']} CPU seconds in all", flush=True)
    return contained


def keep(options, target):
    """The inputs that reach most, as far as there is room: each the one that adds most to those before it."""
    reached = {path: (edges, path.read_bytes()) for path, edges in edges_of(options, target).items()}
    old = set((CORPUS / target).glob("grown-*"))
    known = set().union(*(edges for path, (edges, _) in reached.items() if path.parent == CORPUS / target and path not in old))
    kept = []
    while reached and len(kept) < KEPT_FILES:
        edges, content = reached.pop(max(sorted(reached), key=lambda path: (len(reached[path][0] - known), -len(reached[path][1]))))
        if edges <= known:
            break
        if sum(map(len, kept)) + len(content) <= KEPT_BYTES:
            kept.append(content)
            known |= edges
    for path in old:
        path.unlink()
    for at, content in enumerate(kept):
        (CORPUS / target / f"grown-{at}").write_bytes(content)


def edges_of(options, target):
    """{input: the edges that it reaches}. libFuzzer writes them while it merges: a file's place in the list that the control file begins with, and its
    features, eight for each edge: how often it was passed."""
    merged, control = options.work / "merged" / target, options.work / "merged" / f"{target}.control"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    control.unlink(missing_ok=True)
    run(options, target, "-set_cover_merge=1", f"-merge_control_file={control}", "-close_fd_mask=1", *LIMITS, merged, CORPUS / target, options.work / "grown" / target)
    lines = control.read_text().splitlines()
    files = [pathlib.Path(line) for line in lines[2 : 2 + int(lines[0])]]
    features = [line.split() for line in lines if line.startswith("FT ")]
    return {files[int(words[1])]: {int(feature) // 8 for feature in words[2:]} for words in features}


def summary(done):
    least = min(done.values(), key=lambda one: one["cpu_s"])
    hours = sum(one["cpu_s"] for one in done.values()) / 3600
    contained = sum(one["outcomes"].get(IN_HDF5, 0) for one in done.values())
    settled = sum(one.get("newest", one["cases"]) < one["cases"] / 2 for one in done.values())
    return (f"{len(done)} parsers, {sum(one['cases'] for one in done.values()):,} inputs in {hours:.1f} CPU-hours, the least of a parser "
            f"{least['cpu_s']:.0f} s; {settled} of them reached no new edge in the later half of their inputs; {contained} {IN_HDF5}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--targets", nargs="*", default=sorted(path.name for path in CORPUS.iterdir()))
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/fuzz/bin")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    options.work = options.work.resolve()
    bare = [target for target in options.targets if not (options.work / "grown" / target).exists()]
    if options.keep and bare:
        parser.error(f"--keep: {options.work} has no inputs of {', '.join(bare)}; run it without --keep first")
    options.work.mkdir(parents=True, exist_ok=True)
    state = options.work / "state.json"
    done = json.loads(state.read_text()) if state.exists() else {}
    for target in () if options.keep else options.targets:
        done.setdefault(target, {"outcomes": {}, "wrong": [], "cases": 0, "of": 0, "cpu_s": 0.0})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as jobs:
        work = [jobs.submit(keep, options, target) if options.keep else jobs.submit(fuzz, options, target, done) for target in options.targets]
        for one in concurrent.futures.as_completed(work):
            one.result()
            if not options.keep:
                state.write_text(json.dumps(done, indent=1))
    return finish(options, PROMISE, done, "inputs", summary(done)) if done else 0


if __name__ == "__main__":
    raise SystemExit(main())
