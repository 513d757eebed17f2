#!/usr/bin/env python3
"""Gives the commands files that are small and claim, unpack to or nest into something vast: pictures, archives, label files, recipes, weight files. Each
must end by itself, with a message or a result, within 5 s of processor time for up to 10 MB; no signal may end it, and it may have no more in memory
than 64 times its input + 64 MiB beside what an honest one of the kind has (pictures: beside what --max-pixels allows).
usage: scripts/proof/bombs.py [--only PART] [--bin build/ci/bin] [--library FILE] [--state FILE] [--jobs N] [--json FILE]
--only: bombs whose name contains it. Honest files come first, and have to be read. Needs Pillow, and h5py where there is a trainer in --bin."""
import concurrent.futures
import io
import os
import pathlib
import shutil
import sys
import tempfile

import bombs_of_archives
import bombs_of_pictures
import bombs_of_texts
import bombs_of_weights
import measured_run
from disturb import common_arguments, finish
from works import Wrong

PROMISE = "files that are small and claim or unpack to something vast end with a message, in seconds and in little memory"
CPU_S, OF_MB, TIMES, FREE = 5, 10, 64, 64 << 20
MAX_PIXELS, DESCRIPTORS = 1_000_000, 256
REFUSED = {0, 65, 66, 73, 74, 78}  # read, passed over, or refused; never a bug of ours (70) or a signal
USAGE = 64  # what a flag in a --config file may end with; from anything else it says that the file was never read


class Bomb:
    """A folder with what a command is given."""

    def __init__(self, folder, flags):
        self.folder, self.flags = pathlib.Path(folder), flags

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def preprocess(self, *words, recipe="none"):
        return [self.flags.bin / "letterpress-preprocess", "build", "--store", self.folder / "store", "--size", "64", "--views", "0", "--recipe", recipe,
                "--threads", "1", "--max-rejects", "100%", "--max-pixels", str(MAX_PIXELS), *words]

    def of_picture(self, name, content):
        """A build of a set of this one picture and an honest one."""
        from PIL import Image

        self.write(name, content)
        Image.new("RGB", (64, 64), (200, 30, 90)).save(self.folder / "honest.png")
        return self.of_labels(f"honest.png 1,1,9,9,0\n{name} 1,1,5,5,0\n")

    def of_labels(self, text, name="train.txt", *words, recipe="none"):
        """A build of a label file."""
        return self.preprocess("--input", self.write(name, text), "--classes", self.write("classes.txt", "a\n"), *words, recipe=recipe)

    def of_toml(self, flag, labels, path):
        """A build with this file as --recipe or --config."""
        return self.of_labels(labels, recipe=path) if flag == "--recipe" else self.of_labels(labels, "train.txt", flag, path)


def run(words):
    """Exit code, processor seconds, bytes at most, what was said."""
    limited = ["/usr/bin/prlimit", f"--as={8 << 30}", "--cpu=60", *words]
    took, _, said = measured_run.took(limited, DESCRIPTORS)
    return took["exit"], took["cpu_s"], took["kib"] << 10, said


def input_bytes(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def try_bomb(name, prepare, flags, honest):
    """How it ended. `honest`: what the program has in memory for an honest file."""
    with tempfile.TemporaryDirectory(prefix="bomb-", dir=flags.folder) as folder:
        bomb = Bomb(folder, flags)
        words = prepare(bomb)
        given = input_bytes(folder)
        code, seconds, memory, said = run(words)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    allowed_s, allowed = CPU_S * max(1, given / (OF_MB << 20)), honest[pathlib.Path(words[0]).name] + TIMES * given + FREE
    if name.split(":")[0] in ("png", "jpeg", "tiff", "webp", "bmp"):
        allowed += 3 * MAX_PIXELS
    told = said.strip()[-300:]
    if code not in REFUSED and not (code == USAGE and "--config" in words):
        raise Wrong(f"exit {code}: {told}")
    if code != 0 and not told:
        raise Wrong(f"exit {code} without a word")
    if seconds > allowed_s:
        raise Wrong(f"{seconds:.1f} s of processors for {given:,} bytes: {told}")
    if memory > allowed:
        raise Wrong(f"{memory >> 20} MiB for {given:,} bytes, must be {int(allowed) >> 20} or less: {told}")
    return f"{'read' if code == 0 else f'ended with {code}'}"


def attempt(name, prepare, flags, honest):
    try:
        return try_bomb(name, prepare, flags, honest)
    except Wrong as wrong:
        return wrong


def small_png():
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (64, 64), (90, 30, 200)).save(out, "PNG")
    return out.getvalue()


def honest_zip(bomb):
    members = [("train.txt", b"x.png 1,1,9,9,0\n"), bombs_of_archives.CLASSES, ("x.png", small_png())]
    return bombs_of_archives.build_of(bomb, "z.zip", bombs_of_archives.zipped(members), "classes.txt")


def honest_toml(text, flag):
    def prepare(bomb):
        bomb.write("x.png", small_png())
        path = bomb.write("t.toml", text)
        return bomb.of_toml(flag, "x.png 1,1,9,9,0\n", path)

    return prepare


def honest_list(bomb):
    bomb.write("x.png", small_png())
    return bomb.preprocess("--input", bomb.write("c.json", bombs_of_texts.coco(
        '{"id":1,"file_name":"x.png","width":64,"height":64}', bombs_of_texts.annotation("[]"))))


HONEST = {"picture": lambda bomb: bomb.of_picture("x.png", small_png()), "list": honest_list, "zip": honest_zip,
          "recipe": honest_toml("[boxes]\nmin_side = 1.0\n", "--recipe"), "configuration": honest_toml("seed = 2\n", "--config")}


def run_honest(name, prepare, flags):
    with tempfile.TemporaryDirectory(prefix="honest-", dir=flags.folder) as folder:
        return run(prepare(Bomb(folder, flags)))


def honest_memory(flags):
    """Of each program, for a file that is what it says. The words around the bombs are right only when such files are read."""
    found = {}
    for name, prepare in HONEST.items():
        code, _, memory, said = run_honest(name, prepare, flags)
        if code != 0:
            sys.exit(f"an honest {name} ended with {code}, must be 0: {said[-300:]}")
        found.setdefault("letterpress-preprocess", memory)
    if (flags.bin / "letterpress-trainer").exists():
        code, _, found["letterpress-trainer"], said = run_honest("w", bombs_of_weights.nothing, flags)
        if code not in REFUSED or code == 0 or "w.safetensors" not in said:
            sys.exit(f"a weight file without weights ended with {code}, must be refused by name: {said[-300:]}")
    return found


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--only", default="")
    flags = parser.parse_args()
    flags.bin = flags.bin.resolve()
    bombs = bombs_of_pictures.ALL | bombs_of_archives.ALL | bombs_of_texts.ALL
    if (flags.bin / "letterpress-trainer").exists():
        bombs |= bombs_of_weights.ALL
    chosen = {name: prepare for name, prepare in bombs.items() if flags.only in name}
    if not chosen:
        sys.exit(f"no bomb's name contains {flags.only!r}")
    done = {"outcomes": {}, "wrong": [], "cases": len(chosen), "of": len(bombs), "calls": len(chosen)}
    with tempfile.TemporaryDirectory(prefix="bombs-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as flags.folder:
        honest = honest_memory(flags)
        with concurrent.futures.ThreadPoolExecutor(flags.jobs) as pool:
            for name, outcome in zip(chosen, pool.map(lambda name: attempt(name, chosen[name], flags, honest), chosen)):
                if isinstance(outcome, Wrong):
                    done["wrong"].append([name, str(outcome)])
                    print(f"{name}: {outcome}", flush=True)
                    outcome = "wrong"
                done["outcomes"][outcome] = done["outcomes"].get(outcome, 0) + 1
    ends = ", ".join(f"{n} {outcome}" for outcome, n in sorted(done["outcomes"].items()))
    return finish(flags, PROMISE, {"bombs": done}, "bombs", f"{len(chosen)} bombs: {ends}")


if __name__ == "__main__":
    sys.exit(main())
