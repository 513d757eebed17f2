#!/usr/bin/env python3
"""Does `eval --promise` keep its word? Splits the pictures of a split in two at random, takes the confidence from one half, and counts on the other
one what it finds; many times.

usage: scripts/proof/promise.py STORE CHECKPOINT [--split val] [--recall 0.98] [--redraws 200] [--seed 1] [--bin build/release/bin]
       [--json FILE]

Exit code 0 when the promised recall was kept in at least 95 % of the redraws.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from disturb import finish

PROMISE = "a confidence that promises a recall keeps it on other pictures in at least 95 % of all redraws"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBABILITY = 0.95


def evaluate(program, folder, words):
    """The summary of eval; nothing where it could not promise that."""
    finished = subprocess.run([program, "eval", "--json", *map(str, words)], capture_output=True, text=True, cwd=folder)
    if finished.returncode == 65 and "--promise" in finished.stderr:
        print(finished.stderr.strip().splitlines()[-1], file=sys.stderr)
        return None
    if finished.returncode != 0:
        sys.exit(f"promise.py: eval ended with {finished.returncode}: {finished.stderr}")
    return json.loads(finished.stdout.strip().splitlines()[-1])


def part_of(truth, found, images, folder, name):
    """COCO's two files of some of the pictures."""
    ids = {image["id"] for image in images}
    kept = truth | {"images": images, "annotations": [one for one in truth["annotations"] if one["image_id"] in ids]}
    files = folder / f"{name}-truth.json", folder / f"{name}-found.json"
    files[0].write_text(json.dumps(kept))
    files[1].write_text(json.dumps([one for one in found if one["image_id"] in ids]))
    return ["--truth", files[0], "--detections", files[1]]


def redraw(program, folder, truth, found, recall, number):
    """(recall, false detections per picture) of the second half at the confidence of the first."""
    images = truth["images"][:]
    number.shuffle(images)
    half = len(images) // 2
    first = evaluate(program, folder, [*part_of(truth, found, images[:half], folder, "first"), "--promise", f"recall={recall}"])
    if first is None:
        return None
    second = evaluate(program, folder, [*part_of(truth, found, images[half:], folder, "second"), "--at", first["promise"]["confidence"]])
    point = next(point for point in second["points"] if point["name"] == "at")
    right, objects = (sum(one[key] for one in point["classes"].values()) for key in ("right", "truths"))
    return right / objects, point["false_per_picture"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("--split", default="val")
    parser.add_argument("--recall", type=float, default=0.98)
    parser.add_argument("--redraws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the counts")
    flags = parser.parse_args()
    program, number = (flags.bin / "letterpress-trainer").resolve(), random.Random(flags.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = ["--store", flags.store.resolve(), "--checkpoint", flags.checkpoint.resolve(), "--split", flags.split]
        evaluate(program, folder, [*words, "--coco-out", "found.json", "--coco-truth-out", "truth.json"])
        truth, found = (json.loads((folder / f"{file}.json").read_text()) for file in ("truth", "found"))
        results = [redraw(program, folder, truth, found, flags.recall, number) for _ in range(flags.redraws)]
    promised = [result for result in results if result]
    if not promised:
        sys.exit("promise.py: no half could promise that")
    kept = sum(recall >= flags.recall for recall, _ in promised)
    summary = (f"{len(promised)} of {flags.redraws} halves of {len(truth['images'])} pictures of {flags.store.resolve().name} promised "
               f"{flags.recall:.1%}; {kept} kept it ({kept / len(promised):.1%}); recall of the other half: mean "
               f"{statistics.mean(recall for recall, _ in promised):.4f}, least {min(recall for recall, _ in promised):.4f}; "
               f"false detections per picture: mean {statistics.mean(wrong for _, wrong in promised):.3f}")
    print(summary)
    wrong = [] if kept >= PROBABILITY * len(promised) else [["all redraws", f"{kept} of {len(promised)} kept it"]]
    return finish(flags, PROMISE, {"redraws": {"cases": len(promised), "of": flags.redraws, "outcomes": {}, "wrong": wrong}}, "redraws", summary)


if __name__ == "__main__":
    sys.exit(main())
