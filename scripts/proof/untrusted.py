#!/usr/bin/env python3
"""Makes a small store into one that means harm, in each way of a table, and lets every command loose on it: links and FIFOs in place of its
folders and files, links inside its HDF5 files, snapshots that are sealed again with numbers at their edges, texts that are nested deeper than
the stack, files of a terabyte without content. Each command has to end by itself, with an exit code that says whose fault it is and, when it
refuses, the name of a file in the store; and a folder beside the store keeps each of its bytes, none of which is printed. A snapshot that is sealed
again without a change has to be read by each command.
usage: scripts/proof/untrusted.py [--bin build/ci/bin] [--only NAME ...] [--every 1] [--json FILE]
The commands are info, verify --deep, report, gc and build, and fit --dry-run where there is a trainer in --bin."""
import collections
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from disturb import common_arguments, finish
from untrusted_changes import AS_IT_WAS, CHANGES
from works import ROOT, must_run

PROMISE = "a store that somebody else made has no program read, write or remove what is outside of it, run for ever or without bound, or die"
REFUSED = (64, 65, 66, 73, 74, 78)
SECONDS, BYTES = 60, 4 << 30
SECRET = "the canary's own words"


class Place:
    """A store, its untouched copy, and the canary that nothing may touch."""

    def __init__(self, folder, options):
        self.folder, self.bin = pathlib.Path(folder), options.bin.resolve()
        self.store, self.base, self.canary = self.folder / "store", self.folder / "base", self.folder / "canary"
        subprocess.run([sys.executable, ROOT / "samples/draw.py", self.folder / "set", "--pictures", "6"], check=True, stdout=subprocess.DEVNULL)
        must_run(self.build())
        (self.store / "quarantine.jsonl").touch()
        self.store.rename(self.base)
        for path in self.base.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def build(self):
        labels = self.folder / "set"
        return [self.bin / "letterpress-preprocess", "build", "--store", self.store, "--input", labels / "train.txt", "--val", labels / "val.txt",
                "--classes", labels / "classes.txt", "--size", "64", "--views", "1"]

    def commands(self):
        program = self.bin / "letterpress-preprocess"
        yield [program, "info", "--store", self.store]
        yield [program, "verify", "--deep", "--store", self.store]
        yield [program, "report", "--store", self.store, "--out", self.folder / "report.html"]
        yield [program, "gc", "--store", self.store, "--keep", "1", "--older-than", "0"]
        if (self.bin / "letterpress-trainer").exists():
            yield [self.bin / "letterpress-trainer", "fit", "--dry-run", "--store", self.store, "--model", "yolov3-tiny", "--batch", "2",
                   "--device", "cpu", "--threads", "1"]
        yield self.build()

    def make(self, change):
        """The store as `change` makes it, and a new canary: a file of each kind that is found in stores, and folders of all their names."""
        for folder in (self.store, self.canary):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, self.canary / "other")
        (self.canary / "secret.txt").write_text(SECRET + "\n")
        shutil.copytree(self.base, self.store)
        change(self.store, self.canary)
        self.before = self.seen()

    def seen(self):
        """Each name in the canary with its content; of FIFOs and devices, the kind."""
        return {str(path.relative_to(self.canary)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else path.lstat().st_mode
                for path in sorted(self.canary.rglob("*"))}

    def check(self, name):
        """What is wrong with what one command after the other does, as texts."""
        wrong, outcomes = [], []
        for words in self.commands():
            who = f"{name}: {words[1]}"
            code, told = run(words, self.folder)
            outcomes.append(code)
            if name == AS_IT_WAS and code != 0:
                wrong.append(f"{who}: must be 0, ended with {code}: {told[-300:]}")
            elif code != 0 and code not in REFUSED:
                wrong.append(f"{who}: ended with {code}: {told[-300:]}")
            elif code != 0 and str(self.store) not in told:
                wrong.append(f"{who}: names no file of the store: {told[-300:]}")
            if SECRET in told:
                wrong.append(f"{who}: prints what is outside of the store")
            if self.seen() != self.before:
                wrong.append(f"{who}: changed what is outside of the store")
                self.before = self.seen()
        return wrong, outcomes


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def run(words, folder):
    """Exit code, "hang" or "signal N"; all that was printed."""
    try:
        trains = "trainer" in words[0].name  # LibTorch alone reserves more addresses than BYTES
        result = subprocess.run([str(word) for word in words], cwd=folder, timeout=SECONDS, capture_output=True, text=True, errors="replace",
                                stdin=subprocess.DEVNULL, preexec_fn=None if trains else limit)
    except subprocess.TimeoutExpired:
        return "hang", ""
    return result.returncode if result.returncode >= 0 else f"signal {-result.returncode}", result.stdout + result.stderr


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--only", nargs="*", help="changes of these names")
    parser.add_argument("--every", type=int, default=1, help="only every Nth change")
    options = parser.parse_args()
    chosen = {name: change for name, change in CHANGES.items() if not options.only or name in options.only}
    chosen = dict(list(chosen.items())[:: options.every])
    if not chosen:
        sys.exit(f"no change is called {' or '.join(map(repr, options.only))}")
    wrong, outcomes = [], collections.Counter()
    in_memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="proof-", dir=in_memory if in_memory.is_dir() else None) as folder:
        place = Place(folder, options)
        ran = [words[1] for words in place.commands()]
        for name, change in chosen.items():
            place.make(change)
            found, codes = place.check(name)
            outcomes.update(str(code) for code in codes)
            wrong += [[name, text] for text in found]
            for text in found:
                print(text, flush=True)
    codes = ", ".join(f"{n} times {code}" for code, n in sorted(outcomes.items()))
    works = {"stores": {"cases": sum(outcomes.values()), "of": sum(outcomes.values()), "outcomes": dict(outcomes), "wrong": wrong}}
    names = ", ".join(ran) + ("" if "fit" in ran else ", without fit")
    summary = f"{len(chosen)} stores, {sum(outcomes.values())} commands ({names}): {codes}"
    print(summary)
    return finish(options, PROMISE, works, "commands on stores that mean harm", summary)


if __name__ == "__main__":
    sys.exit(main())
