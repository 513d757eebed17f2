#!/usr/bin/env python3
"""Whether a call to files escapes the library: runs each command of scripts/proof/works.py under strace, which sees what the kernel is
asked, and under the library, and compares how often each file was opened, read, written, synced, linked, ... Exits with 77 where there is
no strace, or it may not trace.
usage: tests/faults/escapes.py --bin build/ci/bin --library build/ci/tests/libletterpress_faults.so"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/proof"))

from works import WORKS, Call, Files  # noqa: E402

SAME = {
    "openat": "open", "open": "open", "creat": "open", "read": "read", "pread64": "read", "readv": "read", "preadv": "read", "preadv2": "read",
    "write": "write", "pwrite64": "write", "writev": "write", "pwritev": "write", "pwritev2": "write", "fsync": "sync", "fdatasync": "sync",
    "syncfs": "syncfs", "ftruncate": "resize", "truncate": "resize", "fallocate": "allocate", "link": "link", "linkat": "link", "rename": "rename",
    "renameat": "rename", "renameat2": "rename", "unlink": "unlink", "unlinkat": "unlink", "rmdir": "rmdir", "mkdir": "mkdir", "mkdirat": "mkdir",
    "symlink": "symlink", "symlinkat": "symlink", "fchmod": "chmod", "chmod": "chmod", "fchmodat": "chmod", "utimensat": "utime", "flock": "lock",
    "copy_file_range": "copy", "sendfile": "copy", "sendfile64": "copy", "fsetxattr": "attribute", "setxattr": "attribute", "mknod": "mknod",
    "mknodat": "mknod", "sync_file_range": "sync", "io_uring_enter": "io_uring",
}
OPENS = {"create": "open", "truncate": "open", "opendir": "open", "fopen": "open", "tmpfile": "open"}


def traced(words, files, trace):
    """Counter of (operation, name) as the kernel saw them; None when strace may not trace."""
    result = subprocess.run(["strace", "-f", "-y", "-qq", "-s", "0", "-e", "trace=" + ",".join(SAME), "-o", trace, *map(str, words)],
                            capture_output=True, text=True)
    if result.returncode != 0:
        return None
    counts, text = collections.Counter(), re.sub(r" <unfinished \.\.\.>", "", trace.read_text(errors="replace"))
    for line in text.splitlines():
        call = re.match(r"\d+ +(\w+)\((.*)", line)
        if not call or call[1] not in SAME:
            continue
        names = [name for name in re.findall(r'[<"]([^<>"]*)[>"]', call[2]) if name.startswith(str(files.watched))]
        if names:
            opened = SAME[call[1]] == "open"
            name = names[1] if SAME[call[1]] in ("link", "rename") else names[0]
            operation = "rmdir" if "AT_REMOVEDIR" in call[2] else SAME[call[1]]
            counts[plain(operation, name if not opened else names[0], files)] += 1
    return counts


def plain(operation, path, files):
    call = Call("\t".join(["0", operation, "ok", "0", "-1", "-1", "", path, ""]))
    return call.name(files.watched)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: no strace")
        return 77
    escaped, compared = [], 0
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder, options.bin.resolve(), options.library.resolve())
        files.draw()
        for work in WORKS:
            seen = []
            for how in ("kernel", "library"):
                files.make_writable()
                shutil.rmtree(files.run, ignore_errors=True)
                files.run.mkdir()
                work.prepare(files)
                if how == "kernel":
                    seen.append(traced(work.command(files), files, files.folder / "trace"))
                else:
                    _, calls = files.watch(work.command(files), "all")
                    ops = [(OPENS.get(call.operation, call.operation), call.other or call.path) for call in calls]
                    seen.append(collections.Counter(plain(operation, path, files) for operation, path in ops if operation in set(SAME.values())))
            if seen[0] is None:
                print("skipped: strace may not trace here")
                return 77
            kernel, library = seen
            compared += sum(kernel.values())
            escaped += [f"{work.name}: {name}: {n} by the kernel, {library[name]} by the library" for name, n in kernel.items() if n > library[name]]
        files.make_writable()
    print(f"{compared} calls, {len(escaped)} kinds escape", *escaped, sep="\n")
    return 1 if escaped or not compared else 0


if __name__ == "__main__":
    raise SystemExit(main())
