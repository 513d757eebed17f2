#!/usr/bin/env python3
"""Measures wall time, peak memory and open descriptors of the commands on sets of 1,000 to 100,000 pictures, which it draws: memory per picture,
and whether time grows as the pictures do. Then on stores of many shards (one row in each, which is as if there were 1,024 times as many
pictures) and of many generations. Each command runs where it cannot open more descriptors than the bar allows.

usage: scripts/proof/resources.py [--pictures 1000 10000 100000] [--million] [--shards 10000] [--generations 10000] [--rounds 3]
       [--folder FOLDER] [--kib-per-picture 1.5] [--growth 1.3] [--bin build/ci/bin] [--state FILE] [--json FILE]
--folder: where pictures and stores lie meanwhile; default: in memory, where a million pictures take 9 GB. Needs Pillow."""
import io
import json
import os
import pathlib
import shutil
import tempfile
import time

from disturb import common_arguments, finish
from measured_run import best_of, build_of, measure, most_of
from works import Wrong

PROMISE = "memory per picture is bounded, time grows as pictures do, and open descriptors are bounded"
SIDE, COLOURS, A_FOLDER = 32, 64, 1000
DESCRIPTORS = 64  # beside one for each shard, which a training has, and a build that counts its findings
OF_FIT = 256  # in place of these
COMMANDS = {"plan": "plan", "build": "build", "build again": "build, nothing new", "info": "info", "fit": "fit --dry-run"}
SAMPLE = 100  # generations at the beginning and at the end whose times are compared


def drawn_jpegs():
    from PIL import Image

    pictures = []
    for tone in range(COLOURS):
        picture = Image.new("RGB", (SIDE, SIDE), (4 * tone, 255 - 4 * tone, 128))
        picture.paste((255 - 4 * tone, tone, 200), (8, 8, 20, 22))
        written = io.BytesIO()
        picture.save(written, "JPEG", quality=80)
        pictures.append(written.getvalue())
    return pictures


def draw(folder, n):
    """A list in keras-yolo3's format of n pictures with a box each. A comment with its number makes each file another one."""
    drawn, lines = drawn_jpegs(), []
    for at in range(n):
        if at % A_FOLDER == 0:
            (folder / f"images/{at // A_FOLDER:04d}").mkdir(parents=True)
        name, number, jpeg = f"images/{at // A_FOLDER:04d}/{at:07d}.jpg", b"%08d" % at, drawn[at % COLOURS]
        comment = b"\xff\xfe" + (2 + len(number)).to_bytes(2, "big") + number
        (folder / name).write_bytes(jpeg[:2] + comment + jpeg[2:])
        lines.append(f"{name} 8,8,20,22,{at % 3}\n")
    (folder / "train.txt").write_text("".join(lines))
    (folder / "classes.txt").write_text("bolt\nnut\nring\n")
    time.sleep(2.1)  # or the files' times would be too young to be relied on


class Bench:
    """A set of n drawn pictures in a folder of its own, and the commands on stores of it."""

    def __init__(self, options, n):
        self.options, self.n = options, n
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="resources-", dir=options.folder))
        self.store = self.folder / "store"

    def __enter__(self):
        draw(self.folder, self.n)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def without_store(self):
        shutil.rmtree(self.store, ignore_errors=True)

    def preprocess(self, command, *more, shards=0):
        return measure([self.options.bin / "letterpress-preprocess", command, "--store", self.store, *more], shards + DESCRIPTORS)

    def build(self, rows=1024, command="build"):
        """rows: of a shard. A build that finds nothing new has no shard open beside the one that it looks at."""
        shards = -(-self.n // rows) if command == "build" and not self.store.exists() else 0
        return self.preprocess(command, "--input", self.folder / "train.txt", "--classes", self.folder / "classes.txt", "--size", SIDE, "--views", 0,
                               "--threads", 2, "--shard-bytes", rows * 3 * SIDE * SIDE, "--json", shards=shards)

    def fit(self, shards, *more):
        """Rows are read, not mapped: pages of the pixels would count as the program's memory."""
        return measure([self.options.bin / "letterpress-trainer", "fit", "--store", self.store, "--device", "cpu", "--threads", 1, "--read", "pread",
                        *more], shards + OF_FIT)

    def snapshot(self):
        return last_json(self.preprocess("info", "--json")[1])["snapshot"]


def last_json(text):
    return json.loads(text.splitlines()[-1])


def want(what, got, wanted):
    if got != wanted:
        raise Wrong(f"{what}: {got}, must be {wanted}")


def measure_pictures(options, n):
    """What each command takes for n pictures."""
    with Bench(options, n) as bench:

        def anew(command):
            bench.without_store()
            return bench.build(command=command)

        found, rounds = {}, options.rounds
        found["plan"] = best_of(rounds, lambda: anew("plan"))[0]
        found["build"] = best_of(rounds, lambda: anew("build"))[0]
        found["build again"], text = best_of(rounds, bench.build)
        want("a build of nothing new", last_json(text)["outcome"], "unchanged")
        found["info"] = best_of(rounds, lambda: bench.preprocess("info", "--json"))[0]
        snapshot = bench.snapshot()
        want("pictures stored", snapshot["accounting"]["pictures_stored"], n)
        found["fit"] = best_of(rounds, lambda: bench.fit(len(snapshot["shards"]), "--dry-run"))[0]
        return found


def measure_shards(options, n):
    """Stores of n pictures in shards of 1,024 rows and of one: the same content."""
    found, digests = {}, set()
    with Bench(options, n) as bench:
        for name, rows in (("1,024 rows", 1024), ("1 row", 1)):
            bench.without_store()
            mine = found[name] = {}
            mine["build"], _ = bench.build(rows)
            mine["build again"], _ = bench.build(rows)
            mine["info"], _ = bench.preprocess("info")
            mine["verify"], _ = bench.preprocess("verify")
            mine["verify --deep"], _ = bench.preprocess("verify", "--deep")
            shards = len(bench.snapshot()["shards"])
            want(f"shards of {name}", shards, -(-n // rows))
            mine["fit --dry-run"], _ = bench.fit(shards, "--dry-run")
            mine["fit, an epoch"], text = bench.fit(shards, "--epochs", 1, "--batch", 64, "--out", bench.folder / name, "--json")
            want("epochs trained", last_json(text)["epochs"], 1)
            digests.add(bench.snapshot()["logical_digest"])
    want("different contents", len(digests), 1)
    return found


def measure_generations(options, n):
    """n builds of four pictures, each of which changes the box of one; then gc of all snapshots but three, which are made old."""
    with Bench(options, 4) as bench:
        lines, builds = (bench.folder / "train.txt").read_text().splitlines(), []
        for at in range(n):
            picture = at % len(lines)
            lines[picture] = f"{lines[picture].split()[0]} 8,8,{20 + at % 11},22,{picture % 3}"
            (bench.folder / "train.txt").write_text("\n".join(lines) + "\n")
            measured, text = bench.build()
            want("generation", last_json(text)["generation"], at + 1)
            builds.append(measured)
        snapshots = bench.store / "snapshots"
        for path in snapshots.iterdir():
            os.utime(path, (time.time() - 30 * 86400,) * 2)
        found = {name: usual(some) for name, some in (("build, first", builds[:SAMPLE]), ("build, last", builds[-SAMPLE:]))}
        found["info"], _ = bench.preprocess("info")
        found["gc --keep 3"], text = bench.preprocess("gc", "--keep", 3, "--json")
        want("snapshots that gc removed", len(last_json(text)["snapshots"]), n - 3)
        want("snapshots after gc", sorted(int(path.stem) for path in snapshots.glob("*.json")), [n - 2, n - 1, n])
        found["verify --deep"], _ = bench.preprocess("verify", "--deep")
        return {f"{n:,} generations": found}


def usual(measured):
    """The middle one of several times."""
    return most_of(measured) | {"seconds": sorted(one["seconds"] for one in measured)[len(measured) // 2]}


def steps_of(options):
    """{name: (what is measured, how)}: each is a case that --state goes on from."""
    sizes = options.pictures + ([1_000_000] if options.million else [])
    steps = {f"{n:,} pictures": ("pictures", lambda n=n: {str(n): measure_pictures(options, n)}) for n in sizes}
    steps[f"{options.shards:,} pictures in shards"] = ("shards", lambda: measure_shards(options, options.shards))
    steps[f"{options.generations:,} generations"] = ("generations", lambda: measure_generations(options, options.generations))
    return steps


def run(options):
    works = json.loads(options.state.read_text()) if options.state and options.state.exists() else {}
    for name, (kind, step) in steps_of(options).items():
        mine = works.setdefault(kind, {"measured": {}, "wrong": [], "done": []})
        if name in mine["done"]:
            continue
        try:
            mine["measured"] |= step()
        except Wrong as wrong:
            mine["wrong"].append([name, str(wrong)])
        mine["done"].append(name)
        print(f"{name}: {mine['wrong'][-1] if mine['wrong'] else json.dumps(list(mine['measured'].values())[-1])}", flush=True)
        if options.state:
            options.state.write_text(json.dumps(works))
    for mine in works.values():
        mine["cases"] = mine["of"] = sum(len(commands) for commands in mine["measured"].values())
    return works


def growth(measured, command):
    """(KiB per picture from the smallest set to the largest, time per picture of the largest set over that of the next smaller one; sets of 10,000
    and more where there are two, as what a start takes is no part of it)."""
    sizes = sorted(measured, key=int)
    kib = (measured[sizes[-1]][command]["kib"] - measured[sizes[0]][command]["kib"]) / (int(sizes[-1]) - int(sizes[0]))
    base = "10000" if "10000" in sizes[:-1] else sizes[-2]
    per_picture = [measured[size][command]["seconds"] / int(size) for size in (base, sizes[-1])]
    return kib, per_picture[1] / per_picture[0]


def judge(works, options):
    """Adds to `wrong` what misses a bar. (What needs more descriptors than it may open has failed already.)"""
    pictures = works["pictures"]
    if len(pictures["measured"]) > 1:
        for command in COMMANDS:
            kib, times = growth(pictures["measured"], command)
            if kib > options.kib_per_picture:
                pictures["wrong"].append([command, f"{kib:.2f} KiB per picture, must be {options.kib_per_picture} or less"])
            if times > options.growth:
                pictures["wrong"].append([command, f"time per picture grows {times:.2f} times, must be {options.growth} or less"])
    for found in works["generations"]["measured"].values():
        times = found["build, last"]["seconds"] / found["build, first"]["seconds"]
        if times > options.generation_growth:
            works["generations"]["wrong"].append(["build", f"{times:.2f} times as long after all generations, must be {options.generation_growth} or less"])


def cell(measured):
    return f"{measured['seconds']:.2f} s, {measured['kib'] / 1024:.0f} MiB"


def tables(result):
    """For the page."""
    measured, bars = result["works"]["pictures"]["measured"], result["bars"]
    sizes = sorted(measured, key=int)
    lines = [f"The programs are those of build/{result['build']}. The bars: {bars['kib_per_picture']} KiB per picture, time per picture {bars['growth']} times",
             f"that of 10,000 pictures, a build {bars['generation_growth']} times as long after all generations as at first, {DESCRIPTORS} descriptors and {OF_FIT} of `fit`.",
             "Beside these, `fit` and a build that publishes may have one for each shard.", "",
             "| pictures | " + " | ".join(f"{int(size):,}" for size in sizes) + " | KiB per picture | time per picture, of that of 10,000 | descriptors |",
             "| --- " + "| ---: " * (len(sizes) + 3) + "|"]
    for command, name in COMMANDS.items():
        kib, times = growth(measured, command)
        cells = [name, *(cell(measured[size][command]) for size in sizes), f"{kib:.2f}", f"{times:.2f}",
                 str(max(measured[size][command]["descriptors"] for size in sizes))]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| store | command | time, memory | descriptors |", "| --- | --- | ---: | ---: |"]
    rows = {f"{result['shards']:,} pictures, {name} a shard": found for name, found in result["works"]["shards"]["measured"].items()}
    for store, found in (rows | result["works"]["generations"]["measured"]).items():
        lines += [f"| {store} | {COMMANDS.get(command, command)} | {cell(took)} | {took['descriptors']:,} |" for command, took in found.items()]
    missed = [f"- **{what} misses its bar**: {text}" for work in result["works"].values() for what, text in work["wrong"]]
    return "\n".join(lines + (["", *missed] if missed else []))


def main():
    parser = common_arguments(__doc__)
    parser.add_argument("--pictures", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--generations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/dev/shm") if os.path.isdir("/dev/shm") else None)
    parser.add_argument("--kib-per-picture", type=float, default=1.5)
    parser.add_argument("--growth", type=float, default=1.3)
    parser.add_argument("--generation-growth", type=float, default=2)
    options = parser.parse_args()
    works = run(options)
    judge(works, options)
    bars = {name: getattr(options, name) for name in ("kib_per_picture", "growth", "generation_growth")}
    more = {"bars": bars, "build": build_of(options.bin.resolve()), "shards": options.shards}
    commands = sum(work["cases"] for work in works.values())
    sizes = ", ".join(f"{int(n):,}" for n in works["pictures"]["measured"])
    summary = f"{commands} commands: {sizes} pictures; {options.shards:,} shards; {options.generations:,} generations"
    for work in works.values():
        for what, text in work["wrong"]:
            print(f"{what}: {text}", flush=True)
    return finish(options, PROMISE, works, "commands measured", summary, more)


if __name__ == "__main__":
    raise SystemExit(main())
