#!/usr/bin/env python3
"""Whether commands do the same where readdir does not say what an entry is (DT_UNKNOWN, as some file systems of networks and of FUSE): the
builds from folders and archives that other tools export, and all commands that the proofs disturb.
usage: tests/faults/no_types.py --bin build/ci/bin --library build/ci/tests/libletterpress_faults.so"""
import argparse
import pathlib
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/proof"))

from folders import FOLDERS  # noqa: E402
from works import UNIQUE, WORKS, Files, Reader, must_run, run  # noqa: E402

# The type of the first entry of the root folder, in glibc's struct dirent.
FIRST_TYPE = """
import ctypes
c = ctypes.CDLL(None)
c.opendir.restype = c.readdir.restype = ctypes.c_void_p
print(ctypes.string_at(c.readdir(ctypes.c_void_p(c.opendir(b"/"))) + 18, 1)[0])
"""


def without_types(library):
    return {"LD_PRELOAD": str(library), "LETTERPRESS_FAULTS_NO_TYPES": "1"}


def outcome(work, files, environment):
    """Exit code, what the command said last, what the store holds and the names of its files."""
    files.make_writable()
    shutil.rmtree(files.run, ignore_errors=True)
    files.run.mkdir()
    work.prepare(files)
    result = run(work.command(files), **environment)
    said = result.stdout.splitlines()[-1:] if result.returncode == 0 else [result.stderr]
    seen = work.seen(files, Reader())
    names = sorted("/".join("*" if UNIQUE.fullmatch(part) else part for part in path.relative_to(files.run).parts) for path in files.run.rglob("*"))
    return result.returncode, said, seen, names


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    hidden = without_types(options.library.resolve())
    first = [int(must_run([sys.executable, "-c", FIRST_TYPE]).stdout), int(run([sys.executable, "-c", FIRST_TYPE], **hidden).stdout)]
    if first[0] == 0 or first[1] != 0:
        print(f"readdir says {first[0]}, and {first[1]} where it should not say")
        return 1
    differ = []
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder, options.bin.resolve(), options.library)
        files.draw()
        works = [*FOLDERS, *WORKS]
        for work in works:
            told, untold = outcome(work, files, {}), outcome(work, files, hidden)
            if told != untold:
                differ.append(f"{work.name}: {told}, and without types {untold}")
        files.make_writable()
    print(f"{len(works)} commands, {len(differ)} differ", *differ, sep="\n")
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
