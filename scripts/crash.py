#!/usr/bin/env python3
"""Kills builds at random moments (SIGKILL) and checks that nothing is lost: after each kill every row of the newest snapshot is whole
(verify --deep), and the next run, with no manual step, publishes and uses the shards that were finished (at least one of all the runs must
have found some).
usage: scripts/crash.py [--kills 300] [--seed 1] [--bin build/dev/bin]"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def summary_of(result, what):
    if result.returncode != 0:
        sys.exit(f"crash.py: {what} ended with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout.strip().splitlines()[-1])


def newest(store):
    return len(list((store / "snapshots").glob("????????.json"))) if store.exists() else 0


def kill_after(words, delay):
    """True when the program was killed before it ended."""
    program = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        program.wait(delay)
    except subprocess.TimeoutExpired:
        program.send_signal(signal.SIGKILL)
    return program.wait() == -signal.SIGKILL


def moment_of(store, before, killed):
    if not killed:
        return "too late: it had ended"
    if newest(store) > before:
        return "after publish"
    if (store / "snapshots" / f"{before + 1:08}.ledger.h5").exists():
        return "during publish"
    return "before publish"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/dev/bin")
    flags = parser.parse_args()
    draw = random.Random(flags.seed)
    program = str(flags.bin.resolve() / "letterpress-preprocess")
    counts, resumed_rows, resumed_runs, kills = {}, 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="letterpress-crash-") as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, str(ROOT / "samples/draw.py"), str(folder / "sample"), "--pictures", "24"], check=True, stdout=subprocess.DEVNULL)
        lines = (folder / "sample/train.txt").read_text().splitlines(keepends=True)
        halves = ["".join(lines[: len(lines) // 2]), "".join(lines)]
        store, labels = folder / "store", folder / "sample/grow.txt"
        words = [program, "build", "--store", str(store), "--input", str(labels), "--classes", str(folder / "sample/classes.txt"),
                 "--size", "96", "--views", "2", "--shard-bytes", "200k", "--max-removed", "100%", "--json"]

        def start(generation):
            shutil.rmtree(store, ignore_errors=True)
            for half in halves[:generation]:
                labels.write_text(half)
                summary_of(run(words), "an undisturbed build")
            labels.write_text(halves[generation])

        start(1)
        began = time.monotonic()
        summary_of(run(words), "an undisturbed build")
        whole = time.monotonic() - began
        while kills < flags.kills:
            start(draw.randrange(2))  # an empty store, or one with a snapshot that must stay
            before = newest(store)
            for _ in range(draw.randrange(1, 4)):
                killed = kill_after(words, draw.uniform(0, 1.1 * whole))
                kills += killed
                moment = moment_of(store, before, killed)
                counts[moment] = counts.get(moment, 0) + 1
                if newest(store):
                    check = run([program, "verify", "--deep", "--store", str(store)])
                    if check.returncode != 0:
                        sys.exit(f"crash.py: after kill {kills} ({moment}) verify says: {check.stderr}")
                if moment != "before publish":
                    break
            report = summary_of(run(words), f"the run after kill {kills}")
            if report["generation"] != before + 1 or run([program, "verify", "--deep", "--store", str(store)]).returncode != 0:
                sys.exit(f"crash.py: the run after kill {kills} left no whole snapshot {before + 1}")
            if any((store / "tmp").iterdir()):
                sys.exit(f"crash.py: the run after kill {kills} left files in tmp/")
            resumed_rows += report["rows_resumed"]
            resumed_runs += report["rows_resumed"] > 0
    print(f"{kills} kills, one whole build takes {whole:.2f} s; " + ", ".join(f"{n} {moment}" for moment, n in sorted(counts.items())))
    if resumed_runs == 0:
        sys.exit(f"crash.py: none of the runs after {kills} kills used a finished shard; with few --kills that may be chance, then raise them")
    print(f"every snapshot whole, every next run published; {resumed_runs} of them used finished shards, {resumed_rows} rows in all")


if __name__ == "__main__":
    main()
