"""What the proofs about files disturb: commands of the programs on tiny stores, each with the folder it starts from, what a reader then
sees, and how it is run again. Used by kill_at_every_call.py, fail_every_call.py and power_loss.py."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KILLED, CANNOT_CREATE = -9, 73
BROKEN = "0007.png"  # cut short; val.txt and more.txt name it, which reject it
LOOKING = ("open", "opendir", "read", "readdir", "stat", "fstat", "access", "lock", "statvfs")
UNIQUE = re.compile(r"\d+-\d+\.\d+-\d+|(making|new)-.{6}")


class Wrong(Exception):
    """A promise that does not hold; its text says which."""


def run(words, **environment):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", env={**os.environ, **environment})


def must_run(words):
    result = run(words)
    if result.returncode != 0:
        raise Wrong(f"{' '.join(map(str, words))}: exit {result.returncode}: {result.stderr.strip()}")
    return result


def existing_library(library):
    """Its whole path. A library that is not there is one that the loader leaves out with a word: nothing would be disturbed, and nothing found."""
    path = pathlib.Path(library).resolve()
    if not path.is_file():
        sys.exit(f"{path}: no such file; build it with the preset ci, or name it by --library")
    return path


class Call:
    """A line of the log that tests/faults/watch.h describes."""

    def __init__(self, line):
        fields = line.rstrip("\n").split("\t")
        self.number, self.operation, self.how, self.inode = int(fields[0]), fields[1], fields[2], int(fields[3])
        self.size, self.offset, self.bytes, self.path, self.other = int(fields[4]), int(fields[5]), bytes.fromhex(fields[6]), fields[7], fields[8]

    @property
    def changes(self):
        return self.operation not in LOOKING

    def name(self, watched):
        """ "write run/store/tmp/*": without the names that differ from run to run, which TemporaryFile and WorkFolder make."""
        parts = pathlib.Path(self.other or self.path.removesuffix(" (deleted)")).relative_to(watched).parts
        return f"{self.operation} {'/'.join('*' if UNIQUE.fullmatch(part) else part for part in parts)}"


def without_times(path):
    """What a file holds; of the quarantine, without the times, and without lines that a kill has cut, which readers ignore."""
    content = path.read_bytes()
    if path.name != "quarantine.jsonl":
        return content
    return b"".join(re.sub(rb'"time":"[^"]*"', b"", line) for line in content.splitlines() if line.endswith(b"}"))


class Files:
    """A folder of inputs and, beside them, what one run may change: FOLDER/sample and FOLDER/run."""

    def __init__(self, folder, programs, library):
        self.folder, self.programs, self.library = pathlib.Path(folder), pathlib.Path(programs), existing_library(library)
        self.sample, self.run, self.log = self.folder / "watched/sample", self.folder / "watched/run", self.folder / "log"
        self.watched, self.store = self.folder / "watched", self.run / "store"
        self.labels = {}  # of each layout that folders.py has written below the sample

    def draw(self, pictures=8):
        subprocess.run([sys.executable, ROOT / "samples/draw.py", self.sample, "--pictures", str(pictures)], check=True, stdout=subprocess.DEVNULL)
        lines = (self.sample / "train.txt").read_text().splitlines(keepends=True)
        lines += (self.sample / "val.txt").read_text().splitlines(keepends=True)
        for name, chosen in (("few", lines[:4]), ("more", lines[:3] + lines[4:6]), ("other", lines[:1] + lines[4:5])):
            (self.sample / f"{name}.txt").write_text("".join(chosen))
        broken = self.sample / "images" / BROKEN
        broken.write_bytes(broken.read_bytes()[:90])
        with open(self.sample / "more.txt", "a") as labels:
            labels.write(f"images/{BROKEN} 1,1,9,9,0\n")
        for path in self.sample.rglob("*"):  # or their sizes and times would be too young to be relied on
            os.utime(path, (time.time() - 86400,) * 2)
        time.sleep(2.1)  # the time of that very change is now, and nobody can set it: builds would differ by how soon they are made

    def start_from(self, base):
        self.make_writable()
        shutil.rmtree(self.run, ignore_errors=True)
        shutil.copytree(base, self.run)

    def make_writable(self):
        if self.run.exists():
            for path in self.run.rglob("*"):
                path.chmod(0o755 if path.is_dir() else 0o644)

    def watch(self, words, calls="changes", at=0, how="", data=False):
        """Runs a command under the library. Returns its result and its calls."""
        self.log.unlink(missing_ok=True)
        result = run(words, LD_PRELOAD=str(self.library), LETTERPRESS_FAULTS_BELOW=str(self.watched), LETTERPRESS_FAULTS_LOG=str(self.log),
                     LETTERPRESS_FAULTS_CALLS=calls, LETTERPRESS_FAULTS_AT=str(at), LETTERPRESS_FAULTS_HOW=how,
                     LETTERPRESS_FAULTS_DATA="1" if data else "0")
        return result, [Call(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def build(self, labels, *more, command="build"):
        side = () if "--tile" in more else ("--size", "32")
        return [self.programs / "letterpress-preprocess", command, "--store", self.store, "--input", self.sample / f"{labels}.txt",
                "--classes", self.sample / "classes.txt", *side, "--views", "1", "--shard-bytes", "12KiB", "--max-removed", "100%",
                "--max-rejects", "100%", "--threads", "1", "--json", *more]

    def preprocess(self, *words):
        return [self.programs / "letterpress-preprocess", *words]

    def plan(self):
        """The newest one: where a picture could not be read, a plan without it may be there too."""
        plans = (self.store / "plans").glob("*/plan.h5")
        return max(plans, key=lambda plan: plan.stat().st_mtime_ns, default=self.store / "plans")

    def contents(self, below):
        """{path below run/: hash}, of files of `below` and folders ("folder")."""
        folder = self.run / below
        if not folder.exists():
            return {}
        files = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(self.run))
            files[name] = "folder" if path.is_dir() else hashlib.sha256(without_times(path)).hexdigest()
        return files


class Reader:
    """What programs say of a store. The same published bytes are read once only: the programs are asked what they make of files, and that
    depends on nothing else."""

    def __init__(self):
        self.known = {}

    def seen(self, files):
        """The newest snapshot as `info` shows it, after every row of all snapshots was verified; "" when there is none yet."""
        published = {**files.contents("store/shards"), **files.contents("store/snapshots"), "FORMAT": (files.store / "FORMAT").exists()}
        key = json.dumps(published, sort_keys=True)
        if key not in self.known:
            self.known[key] = self.ask(files)
        return self.known[key]

    def ask(self, files):
        info = run(files.preprocess("info", "--store", files.store, "--json"))
        if info.returncode in (66, 78) and not any((files.store / "snapshots").glob("*.json")):
            return ""
        if info.returncode != 0:
            raise Wrong(f"info: exit {info.returncode}: {info.stderr.strip()}")
        for generation in sorted(int(path.stem) for path in (files.store / "snapshots").glob("*.json")):
            verified = run(files.preprocess("verify", "--deep", "--store", files.store, "--snapshot", generation))
            if verified.returncode != 0:
                raise Wrong(f"verify --deep --snapshot {generation}: exit {verified.returncode}: {verified.stderr.strip()}")
        return json.dumps(json.loads(info.stdout.strip().splitlines()[-1])["snapshot"])


class Work:
    """One command that is disturbed."""

    def __init__(self, name, prepare, command, *rest):
        self.name, self.prepare, self.command, self.rest = name, prepare, command, rest

    def go_on(self, files):
        """What follows the command."""
        for words_of in self.rest:
            must_run(words_of(files))

    def again(self, files):
        """The command for another time, after it was killed; None where nothing is left for it."""
        return self.command(files)

    def finish(self, files):
        """The command again, and what follows it. Returns how many rows of finished shards it used. Raises Wrong when it does not
        succeed."""
        words = self.again(files)
        lines = must_run(words).stdout.strip().splitlines() if words else []
        self.go_on(files)
        return json.loads(lines[-1]).get("rows_resumed", 0) if lines and lines[-1].startswith("{") else 0

    def seen(self, files, reader):
        return reader.seen(files)

    def left(self, files):
        """What a finished run should not leave, and what it should: all but the cache, whose content is times."""
        return {name: content for name, content in files.contents("").items() if "/cache" not in name}


class Unpack(Work):
    """One that was killed after its set got its name leaves a lock beside it, which the next one removes."""

    def again(self, files):
        return None if (files.run / "out").exists() else self.command(files)

    def finish(self, files):
        if (files.run / "out").exists() and (files.run / "out.unfinished").exists():
            result = run(self.command(files))
            if result.returncode != CANNOT_CREATE:
                raise Wrong(f"exit {result.returncode}: {result.stderr.strip()}")
        return super().finish(files)

    def seen(self, files, reader):
        return reader.seen(files) + json.dumps(files.contents("out"))


class Rebuild(Work):
    """Each --rebuild that succeeds publishes: where the killed one had published, the next build comes without it."""

    def again(self, files):
        published = len(list((files.store / "snapshots").glob("*.json")))
        return [word for word in self.command(files) if word != "--rebuild" or published < 2]


class Reduce(Work):
    """Where the plan is gone it is published; the next build removes what is left of its folder."""

    def again(self, files):
        return self.command(files) if files.plan().name == "plan.h5" else None


def after(*builds):
    """Prepares by building, one after the other."""

    def prepare(files):
        for arguments in builds:
            must_run(arguments(files))

    return prepare


def built(labels, *more, command="build"):
    return lambda files: files.build(labels, *more, command=command)


def step(*words):
    return lambda files: files.preprocess(*[files.store if word == "STORE" else word for word in words])


def made_old(files):
    """Three snapshots, all but the newest of which may go."""
    after(built("few"), built("more"), built("other"))(files)
    long_ago = time.time() - 30 * 86400
    for path in (files.store / "snapshots").iterdir():
        os.utime(path, (long_ago, long_ago))


def mapped(part):
    return lambda files: files.preprocess("map", "--plan", files.plan(), "--part", part, "--threads", "1")


FIRST, SECOND = mapped("0/2"), mapped("1/2")
REDUCE = step("reduce", "--store", "STORE")
PLANNED = built("more", command="plan")
TILES = ("--tile", "32", "--overlap", "0.2", "--scale", "0.125")


WORKS = [
    Work("build, new", lambda files: None, built("few")),
    Work("build, incremental", after(built("few")), built("more")),
    Work("build, repack", after(built("few")), built("other")),
    Rebuild("build --rebuild", after(built("few")), built("few", "--rebuild", "--seed", "2")),
    Work("build --compress deflate", after(built("few", "--compress", "deflate")), built("other", "--compress", "deflate")),
    Work("build of tiles, incremental", after(built("few", *TILES)), built("more", *TILES)),
    Work("plan", after(built("few")), PLANNED, FIRST, SECOND, lambda files: files.preprocess("reduce", "--plan", files.plan())),
    Work("map", after(built("few"), PLANNED), FIRST, SECOND, REDUCE),
    Reduce("reduce", after(built("few"), PLANNED, FIRST, SECOND), REDUCE, built("more")),
    Work("gc", made_old, step("gc", "--store", "STORE", "--keep", "1", "--older-than", "1")),
    Unpack("unpack", after(built("few")),
           lambda files: files.preprocess("unpack", "--store", files.store, "--to", "coco", "--out", files.run / "out", "--threads", "1")),
]
