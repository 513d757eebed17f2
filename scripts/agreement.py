#!/usr/bin/env python3
"""Prints how far our metrics, networks and boxes are from those of other programs, all measured in one run of the tests.

usage: scripts/agreement.py [--preset dev|ci] [--log FILE] [--data ../shared/data] [--run RUN | --epochs 6] [--recipe keras-yolo3]

Runs the tests with the label `agreement` of a built preset (--log: takes the lines of an earlier run, as ctest's LastTest.log has them), then,
if --data holds BCCD, real pictures: builds a store, trains yolov3-tiny on it for a few epochs (--run: takes a trained run, whose
letterbox must be that of --recipe), and compares what `eval` finds in the val pictures with pycocotools' metrics and with the boxes of
the exported model in onnxruntime and OpenCV's dnn, of predict, and of another batch size. Exit 1: a difference is larger than allowed.
scripts/setup.sh --tests installs the other programs.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".deps" / "test" / "bin" / "python"
TOOLS = ROOT / "tests" / "tools" / "trainer"
METRICS = ["AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"]
CONFIDENCE, IOU = "0.25", "0.6"
sys.path.insert(0, str(ROOT / "tests"))
import agreement  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    built = [preset for preset in ("dev", "ci") if (ROOT / "build" / preset / "CTestTestfile.cmake").exists()]
    parser.add_argument("--preset", default=(built + ["dev"])[0], help="dev, else ci, of those that are built")
    parser.add_argument("--log", type=pathlib.Path, help="of a run of the tests, in place of one now")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data", help="folder with bccd, as published")
    parser.add_argument("--run", type=pathlib.Path, help="a run of fit on BCCD, in place of one now")
    parser.add_argument("--epochs", type=int, default=6, help="of the run now")
    parser.add_argument("--recipe", default="keras-yolo3", help="what BCCD's store is made with; its letterbox must be the run's")
    return parser.parse_args()


def of_tests(arguments):
    """Lines of the tests with the label, and whether all passed."""
    if arguments.log:
        log = arguments.log.read_text(errors="replace")
        return log.splitlines(), "Test Failed." not in log and "Status: FAILURE!" not in log
    folder = ROOT / "build" / arguments.preset
    tests = subprocess.run(["ctest", "--test-dir", folder, "-L", "^agreement$", "--verbose"], capture_output=True, text=True)
    lines = [line.partition(": ")[2] for line in tests.stdout.splitlines()]  # "12: text of test 12"
    if tests.returncode != 0:
        print(tests.stdout + tests.stderr, file=sys.stderr)
    return lines, tests.returncode == 0


def show(line):
    """A row of the table, or why there is none."""
    if line.startswith("agreement | "):
        program, what, furthest, allowed = line.split(" | ")[1:]
        print(f"{program:26} {what:78} {furthest:>9} {allowed:>9}", flush=True)
    elif "skipped: " in line:
        print(line[line.index("skipped: "):], flush=True)


class Programs:
    """Ours, run in one folder."""

    def __init__(self, preset, folder):
        self.bin, self.folder = ROOT / "build" / preset / "bin", folder

    def run(self, program, *words):
        """Lines of stdout."""
        finished = subprocess.run([program, *words], cwd=self.folder, capture_output=True, text=True)
        for line in finished.stdout.splitlines():
            show(line)
        if finished.returncode != 0:
            sys.exit(f"agreement: {' '.join(map(str, [program, *words]))}: exit {finished.returncode}: {finished.stderr}")
        return finished.stdout.splitlines()

    def trainer(self, *words):
        return self.run(self.bin / "letterpress-trainer", *words)


def train(programs, arguments):
    if arguments.run:
        return arguments.run.resolve()
    programs.trainer("fit", "--store", "store", "--model", "yolov3-tiny", "--out", "run", "--epochs", str(arguments.epochs), "--batch", "8",
                     "--device", "cpu")
    return programs.folder / "run"


def compare_metrics(programs, run):
    """At eval's own lowest confidence: many boxes, most of them wrong."""
    summary = json.loads(programs.trainer("eval", "--store", "store", "--checkpoint", run, "--coco-out", "all.json", "--coco-truth-out",
                                          "truth.json", "--json")[-1])
    theirs = json.loads(programs.run(PYTHON, TOOLS / "coco_figures.py", "truth.json", "all.json")[-1])
    metrics = [summary["coco"][name] for name in METRICS]
    what = f"BCCD, the twelve metrics of {summary['detections']} boxes (AP50 {metrics[1]:.4f})"
    agreement.check("pycocotools", what, max(abs(a - b) for a, b in zip(metrics, theirs)), 1e-6, show)


def compare_boxes(programs, run, pictures):
    lowest = ["--conf", CONFIDENCE, "--iou", IOU]
    measure = ["eval", "--store", "store", "--checkpoint", run, *lowest]
    programs.trainer(*measure, "--coco-out", "found.json")
    programs.trainer(*measure, "--coco-out", "batches of 3.json", "--batch", "3")
    export = ["export", "--checkpoint", run, "--to"]
    programs.trainer(*export, "onnx", "--output", "detections", *lowest, "--out", "model.onnx")
    programs.trainer(*export, "darknet", "--out", "model.cfg")
    names = [image["file_name"] for image in json.loads((programs.folder / "truth.json").read_text())["images"]]
    (programs.folder / "val.txt").write_text("".join(f"{pictures / name}\n" for name in names))
    programs.run(programs.bin / "letterpress-predict", "--checkpoint", run, "--input", "val.txt", "--out", "found", "--no-draw", *lowest)
    (programs.folder / "found" / "detections.json").rename(programs.folder / "letterpress-predict.json")
    programs.run(PYTHON, TOOLS / "exported_boxes.py", "store", "found.json", "truth.json", CONFIDENCE, IOU, "model.onnx", "model.cfg",
                 "letterpress-predict.json", "batches of 3.json")


def of_bccd(arguments):
    data = (arguments.data / "bccd").resolve()
    if not data.is_dir():
        print(f"skipped: {data} does not exist, so there are no real pictures")
        return
    with tempfile.TemporaryDirectory(prefix="letterpress-agreement-") as folder:
        programs = Programs(arguments.preset, pathlib.Path(folder))
        lists = data / "ImageSets" / "Main"
        programs.run(programs.bin / "letterpress-preprocess", "build", "--store", "store", "--input", lists / "train.txt", "--val",
                     lists / "val.txt", "--size", "416", "--views", "0" if arguments.run else "1", "--recipe", arguments.recipe)
        run = train(programs, arguments)
        compare_metrics(programs, run)
        compare_boxes(programs, run, data / "JPEGImages")


def main():
    arguments = parse()
    lines, passed = of_tests(arguments)
    show("agreement | with | of what | apart | allowed")
    for line in lines:
        show(line)
    if not any(line.startswith("agreement | ") for line in lines):
        sys.exit("agreement: the tests compared nothing; scripts/setup.sh --tests, then build the preset")
    if not passed:
        sys.exit("agreement: a test failed")
    of_bccd(arguments)


if __name__ == "__main__":
    main()
