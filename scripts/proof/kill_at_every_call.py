#!/usr/bin/env python3
"""Kills each command (SIGKILL) before each of its calls that change a file system, and in the middle of each write: afterwards a reader
must see the old or the new state, every row whole, and the same command must finish and leave what an undisturbed run leaves, no
temporary file, plan or pin more. (A kill before a call that only reads leaves the same disk as one before the next change.)
usage: scripts/proof/kill_at_every_call.py [--works NAME...] [--every 1] [--bin build/ci/bin] [--library FILE] [--state FILE] [--jobs N]
       [--json FILE]"""
from disturb import arguments, disturb, finish
from training import TRAININGS
from works import KILLED, WORKS, Wrong

PROMISE = "a command killed at any call leaves the old state or the new one, and the next run finishes"
TRIES = 8


def cases_of(prepared):
    cases = []
    for call in prepared.calls:
        cases.append([call.number, "kill"])
        if call.operation == "write" and call.size > 1:
            cases.append([call.number, "half"])
    return cases


def check(prepared, files, reader, case):
    number, how = case
    for _ in range(TRIES):  # threads may have made a call less
        files.start_from(prepared.base)
        result, _ = files.watch(prepared.work.command(files), at=number, how=how)
        if result.returncode == KILLED:
            break
        if result.returncode != 0:
            raise Wrong(f"exit {result.returncode} instead of a kill: {result.stderr.strip()}")
    if result.returncode != KILLED and number < len(prepared.calls) - 5:
        raise Wrong(f"{TRIES} runs went on to their end")
    state = prepared.check_seen(files, reader) if result.returncode == KILLED else "not reached"
    resumed = prepared.check_finished(files, reader)
    return f"{state}, finished shards used" if resumed else state


def main():
    works = WORKS + TRAININGS
    options = arguments(__doc__, works).parse_args()
    return finish(options, PROMISE, disturb(options, "changes", cases_of, check, works), "kills")


if __name__ == "__main__":
    raise SystemExit(main())
