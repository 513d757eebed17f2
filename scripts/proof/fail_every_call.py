#!/usr/bin/env python3
"""Lets each call to files of each command fail once, reads and stats among them, with what such a call can meet (no space, quota,
a disk that fails, a server's stale handle, no more descriptors), be interrupted (EINTR), or read or write half of its bytes. The
command must succeed or end with 74 (65 where HDF5 could not read) and name a file; a reader must see the old or the new state, every row whole; and the same command
must then finish and leave what an undisturbed run leaves.
usage: scripts/proof/fail_every_call.py [--rounds 1] [--operations NAME...] [--works NAME...] [--every 1] [--bin build/ci/bin] [--library FILE] [--state FILE]
       [--jobs N] [--json FILE]
In a round each call fails in one of its ways, the next one in turn; six rounds are all ways of all calls."""
import errno
import json
import pathlib
import re

from disturb import arguments, disturb, finish
from folders import FOLDERS
from reading import READING
from training import TRAINED, TRAININGS
from works import BROKEN, WORKS, Wrong

PROMISE = "a call that fails ends a command with its file named and nothing published, and the next run fixes it"
IO_EXIT, DATA_EXIT = 74, 65
CHANGE = ("EIO", "ENOSPC", "ESTALE", "EDQUOT")
LOOK = ("EIO", "ESTALE")
WAYS = {
    "open": ("EIO", "EMFILE", "ESTALE", "EINTR"), "create": ("ENOSPC", "EMFILE", "EDQUOT", "EIO", "ESTALE", "EINTR"),
    "read": ("EIO", "short", "ESTALE", "EINTR"), "write": ("ENOSPC", "short", "EIO", "EDQUOT", "EINTR", "ESTALE"), "sync": (*CHANGE, "EINTR"), "syncfs": CHANGE, "link": CHANGE,
    "rename": CHANGE, "mkdir": CHANGE, "truncate": CHANGE, "resize": CHANGE, "allocate": CHANGE, "opendir": ("EIO", "EMFILE", "ESTALE"),
    "lock": ("EIO", "EINTR", "ESTALE"),
}
HARMLESS = ("EINTR", "short")
# A picture's file, or an archive of pictures; or the copy of a compressed one, which rejects call by its own name.
PICTURE = re.compile(r" (sample/(.*/)?(?P<file>[^/]*\.(jpe?g|png|zip|tar|gz))|run/store/cache/unpacked/[^/]*\.tar)$")
UNPACKED = "set.tar.gz"
BY_THE_WAY = ("cache", "pins")  # of a store: what a command can do without; fit says that it could not pin


def ways_of(call):
    return WAYS.get(call.operation, LOOK)


def cases_of(options):
    def cases(prepared):
        found = []
        for turn in range(options.rounds):
            for call in prepared.calls:
                ways = ways_of(call)
                is_chosen = not options.operations or call.operation in options.operations
                if is_chosen and turn < len(ways) and not (call.operation == "readdir" and call.how != "ok"):
                    found.append([call.number, call.operation, ways[(call.number + turn) % len(ways)]])
        return found

    return cases


def logical(seen):
    return json.loads(seen).get("logical_digest") if seen.startswith("{") else seen


def is_named(call, name, files, text):
    """Whether a message has the call's file, or the folder that it is in; of a temporary file, which has no name that users know, one of the store
    or the run."""
    text, up = text.replace("/./", "/"), re.compile(r"/[^/]+/\.\./")
    while up.search(text):
        text = up.sub("/", text)
    paths = [pathlib.Path(path.removesuffix(" (deleted)")) for path in (call.path, call.other) if path]
    if "*" in name:
        return str(files.store if "/tmp/" in name else paths[0].parent) in text
    return any(str(path) in text or f"{path.parent}:" in text for path in paths)


def check(prepared, files, reader, case):
    number, operation, way = case
    files.start_from(prepared.base)
    how = way if way == "short" else str(getattr(errno, way))
    result, calls = files.watch(prepared.work.command(files), "all", at=number, how=how)
    failed = next((call for call in calls if call.number == number), None)
    if failed is None or way not in ways_of(failed):
        return "not reached"  # threads: another call had that number this time
    name = failed.name(files.watched)
    if result.returncode == 0:
        is_tidying = is_published(calls[: calls.index(failed)]) and "/plans/" in failed.path
        return check_went_on(prepared, files, reader, name, way, is_tidying)
    by_hdf5 = name.endswith(".h5") or "/tmp/" in name  # which does not open once more after EINTR, and hides the errno
    if way in HARMLESS and not (by_hdf5 and failed.operation == "open"):
        raise Wrong(f"{name}: exit {result.returncode}: {result.stderr.strip()}")
    wanted = (IO_EXIT, DATA_EXIT) if by_hdf5 and not failed.changes else (IO_EXIT,)
    if result.returncode not in wanted or not is_named(failed, name, files, result.stderr):
        raise Wrong(f"{name}: exit {result.returncode}, must be {IO_EXIT} with a file: {result.stderr.strip()}")
    state = prepared.check_seen(files, reader)
    prepared.check_finished(files, reader)
    return f"ended, {state}"


def is_published(calls):
    """Whether they have named a snapshot. What a plan leaves from then on is tidied up by the next build."""
    return any(call.operation in ("link", "rename") and "/snapshots/" in call.other for call in calls)


def check_rejected(prepared, files, reader, seen, file):
    """A picture that cannot be read is a reject, as the broken one is in any case; the next build reads it again."""
    if number_of_rejects(seen) != number_of_rejects(prepared.between) + (file != BROKEN) or file not in (files.store / "quarantine.jsonl").read_text():
        raise Wrong(f"{file} could not be read, but is not among the rejects")
    prepared.work.finish(files)
    if logical(prepared.work.seen(files, reader)) != logical(prepared.after):
        raise Wrong(f"{file}, which could not be read, is not taken up by the next build")
    return "rejected"


def number_of_rejects(seen):
    return json.loads(seen)["accounting"]["pictures_rejected"]


def check_went_on(prepared, files, reader, name, way, is_tidying):
    """A call that a command can do without, or makes good."""
    seen = prepared.work.seen(files, reader)
    if way not in HARMLESS and name.startswith("sync") and not is_tidying and not name.split("/store/")[-1].startswith(BY_THE_WAY):
        raise Wrong(f"{name} fails with {way}, but exit 0 says that all is durable")
    if (picture := PICTURE.search(name)) and seen not in (prepared.before, prepared.between):
        return check_rejected(prepared, files, reader, seen, picture["file"] or UNPACKED)
    if seen == prepared.between:
        prepared.check_finished(files, reader)
        return "went on"
    if logical(seen) != logical(prepared.between):
        raise Wrong(f"{name} fails with {way}, exit 0, but a reader sees another state: {seen[:200]}")
    prepared.work.finish(files)
    return "made anew"  # rows of a shard that could not be read


def main():
    works = WORKS + FOLDERS + READING + TRAINED + TRAININGS
    parser = arguments(__doc__, works)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--operations", nargs="*", help="only these: " + ", ".join(WAYS))
    options = parser.parse_args()
    return finish(options, PROMISE, disturb(options, "all", cases_of(options), check, works), "failures")


if __name__ == "__main__":
    raise SystemExit(main())
