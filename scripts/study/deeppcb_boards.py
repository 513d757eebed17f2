#!/usr/bin/env python3
"""Where a model of DeepPCB errs: its detections on the test list by board, those of which the train list has a picture and the others.

usage: .deps/test/bin/python scripts/study/deeppcb_boards.py GROUND_TRUTH DETECTIONS DEEPPCB --run NAME [--without BOARD BOARD]

GROUND_TRUTH: the test split as `letterpress-preprocess unpack --to coco` writes it. DETECTIONS: COCO's results, of `letterpress-trainer eval --coco-out`.
A board is the first five digits of a picture's name. A detection is right that has an IoU of 0.5 or more with an object of its class that no surer one has
found; those counted as false are at the confidence of the best F1. The last row leaves out two boards: those of --without, or the two that most false
detections lie on. Written into scripts/study/results/boards.json; scripts/study/page.py makes
the page of it. Needs pycocotools.
"""
import argparse
import collections
import contextlib
import io
import json
import pathlib

IOU, PRECISIONS = 0.5, (0.95, 0.98, 0.99)
RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "boards.json"


def board_of(name):
    return name.split("/")[-1][:5]


def iou(a, b):
    width, height = (min(a[k] + a[k + 2], b[k] + b[k + 2]) - max(a[k], b[k]) for k in (0, 1))
    inside = max(0, width) * max(0, height)
    return inside / (a[2] * a[3] + b[2] * b[3] - inside)


def judged(truth, detections):
    """[(score, picture, whether it is right)], the surest first."""
    objects, found = collections.defaultdict(list), set()
    for one in truth["annotations"]:
        objects[one["image_id"], one["category_id"]].append(one)
    result = []
    for detection in sorted(detections, key=lambda detection: -detection["score"]):
        left = [one for one in objects[detection["image_id"], detection["category_id"]] if one["id"] not in found]
        best = max(left, key=lambda one: iou(detection["bbox"], one["bbox"]), default=None)
        is_right = best is not None and iou(detection["bbox"], best["bbox"]) >= IOU
        if is_right:
            found.add(best["id"])
        result.append((detection["score"], detection["image_id"], is_right))
    return result


def curve(judgements, objects):
    """(score, precision, recall, false ones) behind each detection."""
    right = 0
    for at, (score, _, is_right) in enumerate(judgements, 1):
        right += is_right
        yield score, right / at, right / objects, at - right


def metrics(truth, detections, pictures):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        ground = COCO()
        ground.dataset = truth
        ground.createIndex()
        evaluation = COCOeval(ground, ground.loadRes(detections), "bbox")
        evaluation.params.imgIds = sorted(pictures)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {"pictures": len(pictures), "map50": round(float(evaluation.stats[1]), 4), "map50_95": round(float(evaluation.stats[0]), 4)}


def study(truth, detections, trained, without):
    board = {picture["id"]: board_of(picture["file_name"]) for picture in truth["images"]}
    judgements = judged(truth, detections)
    points = list(curve(judgements, len(truth["annotations"])))
    surest, _, _, _ = max(points, key=lambda point: point[1] * point[2] / (point[1] + point[2] or 1))
    wrong = collections.Counter(board[picture] for score, picture, is_right in judgements if score >= surest and not is_right)
    inspection = []
    for wanted in PRECISIONS:
        _, _, recall, false = max((point for point in points if point[1] >= wanted), key=lambda point: point[2])
        inspection.append({"precision": wanted, "recall": round(recall, 3), "false_per_picture": round(false / len(board), 2)})
    rows = []
    for name in sorted(set(board.values())):
        pictures = {picture for picture, of in board.items() if of == name}
        rows.append({"board": name, "trained_on": name in trained, "false": wrong[name]} | metrics(truth, detections, pictures))
    parts = {"all": set(board), "boards of the train list": {picture for picture, of in board.items() if of in trained},
             "other boards": {picture for picture, of in board.items() if of not in trained}}
    without = without or [row["board"] for row in sorted(rows, key=lambda row: -row["false"])[:2]]
    if missing := set(without) - set(board.values()):
        raise SystemExit(f"deeppcb_boards.py: no picture is of board {' or '.join(sorted(missing))}")
    parts[f"all but {' and '.join(sorted(without))}"] = {picture for picture, of in board.items() if of not in without}
    return {"confidence": round(surest, 3), "false": sum(wrong.values()), "inspection": inspection, "boards": rows,
            "parts": [{"part": part} | metrics(truth, detections, pictures) for part, pictures in parts.items()]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("detections", type=pathlib.Path)
    parser.add_argument("deeppcb", type=pathlib.Path, help="folder with train.txt")
    parser.add_argument("--run", required=True, help="whose detections they are, as docs/accuracy.md calls it")
    parser.add_argument("--without", nargs=2, metavar="BOARD", help="boards that the last row leaves out; default: the two that most false detections lie on")
    flags = parser.parse_args()
    trained = {board_of(line.split()[0]) for line in (flags.deeppcb / "train.txt").read_text().splitlines() if line.strip()}
    found = study(json.loads(flags.truth.read_text()), json.loads(flags.detections.read_text()), trained, flags.without)
    runs = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(runs | {flags.run: found}, indent=1) + "\n")
    print(json.dumps(found["parts"]))


if __name__ == "__main__":
    main()
