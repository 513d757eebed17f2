#!/usr/bin/env python3
"""What a store does on other file systems: builds one on each, verifies it, reads it, holds its lock and compares its content with the
others'. Mounts images in a folder of its own, so it takes root and loop devices; FUSE by mfusepy (PyPI), fuse3 and exfat-fuse. What this
kernel or machine lacks is left out and said. "As NFS" stands in for it: a folder that two programs show, as a server shows it to two
clients, with the server's locks and without the flag of rename that NFS does not have; the lock is held through the one, a build tries the other.

usage: scripts/proof/file_systems.py [--bin build/release/bin] [--pictures 60] [--only NAME ...]
       scripts/proof/file_systems.py --page     # only writes the table of docs/how-to/file-systems.md anew; --check: fails when it is not that
"""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import markers  # noqa: E402

RESULT = ROOT / "scripts/proof/results/file_systems.json"
PAGE = ROOT / "docs/how-to/file-systems.md"
BUSY = 75
IMAGE_BYTES = 1 << 30


def run(*words, check=True):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if check and result.returncode != 0:
        raise RuntimeError(f"{words[0]}: exit {result.returncode}: {result.stderr.strip() or result.stdout.strip()}")
    return result


@contextlib.contextmanager
def mounted(folder, *words):
    folder.mkdir()
    run("mount", *words, folder)
    try:
        yield folder
    finally:
        run("umount", folder)


@contextlib.contextmanager
def image(folder, kind, *make):
    file = folder.with_suffix(".image")
    with open(file, "wb") as blocks:
        blocks.truncate(IMAGE_BYTES)
    run(*make, file)
    with mounted(folder, "-t", kind, "-o", "loop", file) as there:
        yield there


@contextlib.contextmanager
def overlay(folder):
    parts = [folder.with_suffix(f".{name}") for name in ("lower", "upper", "work")]
    with mounted(folder.with_suffix(".below"), "-t", "tmpfs", "none") as below:
        lower, upper, work = (below / part.name for part in parts)
        for part in (lower, upper, work):
            part.mkdir()
        with mounted(folder, "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}") as there:
            yield there


@contextlib.contextmanager
def fuse(folder, without, below=None):
    """A folder shown by a program, as sshfs and the drivers of object stores do; without: calls that it does not have."""
    if not below:
        below = folder.with_suffix(".below")
        below.mkdir()
    folder.mkdir()
    program = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("shown_folder.py"), below, folder, *without])
    try:
        for _ in range(100):
            if os.path.ismount(folder):
                break
            if program.poll() is not None:
                raise RuntimeError("shown_folder.py ended; is mfusepy installed, and fuse3?")
            time.sleep(0.1)
        yield folder
    finally:
        run("fusermount3", "-u", folder, check=False)
        program.wait(timeout=20)


@contextlib.contextmanager
def two_clients(folder):
    with fuse(folder, AS_NFS) as first, fuse(other_client(first), AS_NFS, folder.with_suffix(".below")):
        yield first


AS_NFS = ["rename_flags", "shared_locks"]


def other_client(folder):
    return folder.with_suffix(".second")


SYSTEMS = {
    "tmpfs": lambda folder: mounted(folder, "-t", "tmpfs", "none"),
    "ext4": lambda folder: image(folder, "ext4", "mkfs.ext4", "-q"),
    "XFS": lambda folder: image(folder, "xfs", "mkfs.xfs", "-q"),
    "btrfs": lambda folder: image(folder, "btrfs", "mkfs.btrfs", "-q"),
    "overlay on tmpfs": overlay,
    "NFS": lambda folder: mounted(folder, "-t", "nfs", "localhost:/"),
    "FAT": lambda folder: image(folder, "vfat", "mkfs.vfat"),
    "exFAT, by FUSE": lambda folder: image(folder, "exfat-fuse", "mkfs.exfat"),
    "as NFS, by FUSE": two_clients,
    "FUSE": lambda folder: fuse(folder, []),
    "FUSE without hard links": lambda folder: fuse(folder, ["link"]),
    "FUSE without hard links and flags of rename": lambda folder: fuse(folder, ["link", "rename_flags"]),
    "FUSE without locks": lambda folder: fuse(folder, ["locks"]),
}


class Programs:
    def __init__(self, folder, sample):
        self.folder, self.sample = folder, sample

    def build(self, store, check=True):
        return run(self.folder / "letterpress-preprocess", "build", "--store", store, "--input", self.sample / "train.txt", "--val",
                   self.sample / "val.txt", "--classes", self.sample / "classes.txt", "--size", 320, "--views", 4, "--shard-bytes", "8M", "--json",
                   check=check)


def last_json(result):
    return json.loads(result.stdout.strip().splitlines()[-1])


def lock_is_held(programs, store):
    """Whether a build waits for nobody while another process has the store, on another client where there is one."""
    other = other_client(store.parent)
    with open((other if other.is_dir() else store.parent) / store.name / "lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return programs.build(store, check=False).returncode == BUSY


def has_links(folder):
    first, second = folder / "first", folder / "second"
    first.write_text("")
    try:
        os.link(first, second)
        second.unlink()
        return True
    except OSError:
        return False
    finally:
        first.unlink()


def read(programs, store):
    bench = run(programs.folder / "letterpress-trainer", "bench", "--store", store, "--runs", 3, "--rows", 200, "--warm-only", "--pixels", "bytes", "--json")
    found = last_json(bench)
    direct = run(programs.folder / "letterpress-trainer", "bench", "--store", store, "--runs", 1, "--warm-only", "--read", "direct", "--pixels",
                 "bytes", check=False)
    return {"read": found["choices"][0].split("rows are read by ")[1].split(":")[0], "rows_per_s": found["lines"]["bytes, warm"]["rows_per_s"],
            "direct": direct.returncode == 0}


def examine(programs, folder):
    store = folder / "store"
    begin = time.time()
    built = programs.build(store, check=False)
    if built.returncode != 0:
        return {"refused": built.stderr.strip().split("build: ")[-1].replace(str(store), "STORE"), "exit": built.returncode}
    seconds = time.time() - begin
    run(programs.folder / "letterpress-preprocess", "verify", "--store", store, "--deep")
    if "nothing has changed" not in programs.build(store).stdout:
        raise RuntimeError(f"{folder}: a second build finds something to do")
    snapshot = json.loads(sorted((store / "snapshots").glob("*.json"))[-1].read_text())["snapshot"]
    return {"digest": snapshot["logical_digest"], "links": has_links(folder), "locked": lock_is_held(programs, store), "build_s": seconds,
            **read(programs, store), "load": os.getloadavg()[0]}


def today():
    return {"date": time.strftime("%Y-%m-%d"), "kernel": os.uname().release}


def was_quiet(result):
    """Whether a rate tells of the file system, and not of other work."""
    return "rows_per_s" in result and result.get("load", 0) < 4


def cells(result, best):
    if "left_out" in result:
        return ["not measured: this kernel or machine lacks it", "", "", "", ""]
    if "refused" in result:
        return [f"refused with exit {result['exit']}: {result['refused']}", "", "", "", ""]
    return ["a link" if result["links"] else "a rename without replacing", "the second build ends with 75" if result["locked"] else "**none**",
            result["read"], "yes" if result["direct"] else "no",
            f"{result['rows_per_s'] / best:.2f}" if was_quiet(result) else "not measured: a busy machine"]


def page():
    """The docs page with the results' table in it."""
    systems = json.loads(RESULT.read_text())["systems"]
    best = max([result["rows_per_s"] for result in systems.values() if was_quiet(result)], default=1)
    lines = ["| on | a file gets its name by | locks | read by | direct reads | rows/s, of the fastest |", "|---|---|---|---|---|---:|"]
    lines += ["| " + " | ".join([system, *cells(result, best)]) + " |" for system, result in systems.items()]
    return markers.page_with(PAGE, "scripts/proof/file_systems.py", {"file systems": "\n".join(lines)})


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--only", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), help="the others keep their results")
    options = parser.parse_args()
    if options.check and page() != PAGE.read_text():
        raise SystemExit(f"the table in {PAGE.name} is not what {RESULT.name} says; run scripts/proof/file_systems.py --page")
    if options.page:
        PAGE.write_text(page())
    if options.page or options.check:
        return 0
    found = {} if options.only == list(SYSTEMS) else json.loads(RESULT.read_text())["systems"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(sys.executable, ROOT / "samples/draw.py", folder / "sample", "--pictures", options.pictures)
        programs = Programs(options.bin.resolve(), folder / "sample")
        for system in options.only:
            try:
                with SYSTEMS[system](folder / system.replace(" ", "-")) as there:
                    found[system] = examine(programs, there) | today()
            except (RuntimeError, OSError) as error:
                found[system] = {"left_out": str(error).replace(name, "")} | today()
            print(f"{system}: {found[system]}", flush=True)
    digests = {found[system]["digest"] for system in options.only if "digest" in found[system]}
    wrong = [system for system in options.only if found[system].get("locked") is False]
    print(f"{len(digests)} different contents; locks that hold nobody: {wrong or 'none'}")
    ordered = {system: found[system] for system in SYSTEMS if system in found}
    RESULT.write_text(json.dumps({"systems": ordered}, indent=1) + "\n")
    PAGE.write_text(page())
    return 0 if len(digests) == 1 and not wrong else 1


if __name__ == "__main__":
    raise SystemExit(main())
