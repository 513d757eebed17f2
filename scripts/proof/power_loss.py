#!/usr/bin/env python3
"""Cuts the power, in arithmetic: records the calls of each command, with the bytes they write, and builds the states that POSIX permits
after a power loss behind each call (replay.py). In each of them a reader must see the old or the new state, every row whole; after
exit 0 it must be the new one, and all that an undisturbed run leaves must be there. On every Nth state the same command runs again and
must finish. With --killed the command was killed at a call before, ran again to its end, and then the power is lost: exit 0 promises
as much there. With --without-sync each fsync in turn is left out by the library: the proof must find the ones that matter.
usage: scripts/proof/power_loss.py [--killed | --without-sync] [--states 200] [--finish-every 50] [--seed 1] [--works NAME...]
       [--every 1] [--bin build/ci/bin] [--library FILE] [--state FILE] [--jobs N] [--json FILE]
--states: at each point, beyond the systematic ones, that many drawn at random."""
import hashlib
import random
import re
import shutil
import zlib

from disturb import arguments, disturb, write_result
from replay import LOST, PARTS, WHOLE, ZEROS, Recorder, States
from works import KILLED, UNIQUE, Wrong

PROMISE = "after a power loss a reader sees the old state or the new one, whole; exit 0 means durable"
PROMISE_KILLED = "exit 0 means durable, also when the run before was killed"
PROMISE_WITHOUT = "the proof of power loss finds each fsync that is left out and that matters"
SYNCS, TRIES = ("sync", "syncfs"), 5
MATTERS = re.compile(r"sync run/(store|out|store/(snapshots|shards|quarantine|tmp).*)")  # run/store: FORMAT's name
NOT_PROMISED = ("store/cache", "store/tmp", "store/lock")  # saves time only; is empty; holds nothing. Nor is what a killed process left


def is_published(name):
    return name.startswith(("store/shards/", "store/snapshots/")) or name == "store/FORMAT"


def is_promised(name):
    return not name.startswith(NOT_PROMISED) and not any(UNIQUE.fullmatch(part) for part in name.split("/"))


def systematic(pending):
    """Choices of what is there: a function of an effect each."""
    yield lambda effect: LOST
    yield lambda effect: WHOLE
    for data in (LOST, ZEROS):
        yield lambda effect, data=data: data if effect.kind == "write" else LOST if effect.kind == "resize" else WHOLE
    yield lambda effect: WHOLE if effect.kind in ("write", "resize") else LOST
    for one in pending:
        yield lambda effect, one=one: LOST if effect is one else WHOLE
        yield lambda effect, one=one: WHOLE if effect is one else LOST


def drawn(draw, pending):
    share = draw.random()
    chosen = {}
    for effect in pending:
        parts = PARTS if effect.kind == "write" else (LOST, WHOLE)
        chosen[id(effect)] = LOST if draw.random() < share else draw.choice(parts)
    return lambda effect: chosen[id(effect)]


class Cut:
    """All states of one recorded run, each checked."""

    def __init__(self, prepared, files, reader, recorder, options):
        self.prepared, self.files, self.reader, self.options = prepared, files, reader, options
        self.recorder, self.states = recorder, States(recorder)
        self.seen, self.tried, self.checked, self.finished = {}, 0, set(), 0
        self.draw = random.Random(f"{options.seed} {prepared.work.name}")

    def check_points(self, points, exit_0_at):
        for point in points:
            pending = self.states.pending(point)
            choices = list(systematic(pending)) + [drawn(self.draw, pending) for _ in range(self.options.states if pending else 0)]
            for choice in choices:
                self.tried += 1
                self.check(point, self.states.build(point, choice), point == exit_0_at)

    def check(self, point, tree, is_done):
        key = frozenset(tree.items()), is_done
        if key in self.checked:
            return
        self.checked.add(key)
        try:
            seen = self.seen_in(tree)
            if is_done:
                self.check_durable(tree, seen)
            if zlib.crc32(repr(sorted(tree.items())).encode()) % self.options.finish_every == 0:
                self.materialise(tree)
                self.prepared.check_finished(self.files, self.reader)
                self.finished += 1
        except Wrong as wrong:
            raise Wrong(f"power lost after call {point}: {wrong}") from None

    def seen_in(self, tree):
        published = frozenset((name, key) for name, key in tree.items() if is_published(name) or not name.startswith("store"))
        if published not in self.seen:
            self.materialise(tree)
            self.seen[published] = self.prepared.work.seen(self.files, self.reader)
        seen = self.seen[published]
        if seen not in (self.prepared.before, self.prepared.between):
            raise Wrong(f"a reader sees neither the old nor the new state, but: {seen[:200] or 'no store'}")
        return seen

    def check_durable(self, tree, seen):
        if seen != self.prepared.between:
            raise Wrong("exit 0, but the old state is seen")
        lost = [name for name, key in self.prepared.end.items() if is_promised(name) and tree.get(name, "") != key]
        if lost:
            raise Wrong("exit 0, but lost: " + ", ".join(lost[:5]))

    def materialise(self, tree):
        self.files.make_writable()
        shutil.rmtree(self.files.run)
        self.files.run.mkdir()
        self.states.write(tree, self.files.run)


def record(prepared, files, at=0, how=""):
    """Runs the command, disturbed at a call, and where it was killed there once more. Returns the recorder, and the last one's result and calls; the
    result is None where nothing was left to run again."""
    files.start_from(prepared.base)
    recorder = Recorder(files.run)
    result, calls = files.watch(prepared.work.command(files), at=at, how=how, data=True)
    for call in calls:
        recorder.add(call)
    if how == "kill" and result.returncode == KILLED:
        words = prepared.work.again(files)
        result, calls = files.watch(words, data=True) if words else (None, [])
        for call in calls:
            recorder.add(call)
    prepared.end = {str(path.relative_to(files.run)): None if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in files.run.rglob("*")}
    return recorder, result, calls


def checker(options):
    def check(prepared, files, reader, case):
        kind, number = case
        if kind == "without":
            return without(prepared, files, reader, number, options)
        recorder, result, _ = record(prepared, files) if kind == "cut" else record(prepared, files, number, "kill")
        if not result:
            return "nothing left to run again"
        if result.returncode != 0:
            raise Wrong(f"exit {result.returncode}: {result.stderr.strip()}")
        cut = Cut(prepared, files, reader, recorder, options)
        end = recorder.calls
        cut.check_points([number] if kind == "cut" else [end], end)
        return {"states": cut.tried, "distinct": len(cut.checked), "run again": cut.finished}

    return check


def without(prepared, files, reader, number, options):
    for _ in range(TRIES):
        recorder, result, calls = record(prepared, files, number, "skip")
        skipped = next((call for call in calls if call.number == number), None)
        if skipped and skipped.operation in SYNCS:  # else threads have given its number to another call
            break
    else:
        return "not reached"
    if result.returncode != 0:
        raise Wrong(f"exit {result.returncode}: {result.stderr.strip()}")
    return found_without(skipped.name(files.watched), Cut(prepared, files, reader, recorder, options), recorder.calls, number)


def found_without(name, cut, end, number):
    if not cut.states.pending(number):
        return f"nothing to sync: {name}"  # by whoever takes the lock, where nobody was killed before
    try:
        cut.check_points(range(number, end + 1), end)
    except Wrong:
        return f"found: {name}"
    return f"not found: {name}"  # of a record or a plan, which is made again


def never_found(works):
    """Folders and files that exit 0 promises, and of which no fsync matters to the proof: then the proof is blind."""
    outcomes = [outcome.split(": ", 1) for work in works.values() for outcome in work["outcomes"] if "found: " in outcome]
    found = {name for kind, name in outcomes if kind == "found"}
    return sorted({name for _, name in outcomes if MATTERS.fullmatch(name)} - found)


def cases_of(options):
    def cases(prepared):
        calls = prepared.calls
        if options.without_sync:
            return [["without", call.number] for call in calls if call.operation in SYNCS]
        if options.killed:
            return [["killed", call.number] for call in calls]
        return [["cut", number] for number in range(len(calls) + 1)]

    return cases


def without_names(works):
    """Outcomes of --without-sync, counted."""
    for work in works.values():
        counts = {}
        for outcome, n in work["outcomes"].items():
            kind = outcome.split(": ")[0]
            counts[kind] = counts.get(kind, 0) + n
        work["outcomes"] = counts


def main():
    parser = arguments(__doc__)
    parser.add_argument("--killed", action="store_true")
    parser.add_argument("--without-sync", action="store_true")
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--finish-every", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    works = disturb(options, "changes", cases_of(options), checker(options))
    blind = [f"no missing '{name}' was found" for name in never_found(works)]
    if not options.without_sync and works and not any(work["outcomes"].get("run again") for work in works.values()):
        blind.append("the command ran again after no power loss: a smaller --finish-every")
    for text in blind:
        print(text)
    if options.without_sync:
        without_names(works)
    if options.json:
        write_result(options, PROMISE_KILLED if options.killed else PROMISE_WITHOUT if options.without_sync else PROMISE, works)
    return 1 if blind or any(work["wrong"] for work in works.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
