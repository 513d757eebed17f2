"""A training as a command that is disturbed: it goes on with a run of one epoch to its second. And commands that read what it has made."""
import csv
import hashlib
import json
import re

from works import Work, Wrong, must_run, run

HOW_FAST = ("images_per_s", "data_wait_percent", "seconds")  # columns that no two runs have alike


def fit(files, *more):
    return [files.programs / "letterpress-trainer", "fit", "--store", files.store, "--out", files.run / "fit", "--model", "yolov3-tiny", "--batch", "2",
            "--device", "cpu", "--threads", "1", "--optimiser", "sgd", "--json", *more]


class Fit(Work):
    """Its states are those of its last checkpoint."""

    def finish(self, files):
        must_run(self.command(files))
        return 0

    def seen(self, files, reader):
        """The numbers of last.safetensors, after `inspect` has read it whole. Its header has the time."""
        checkpoint = files.run / "fit/last.safetensors"
        told = run([files.programs / "letterpress-trainer", "inspect", "--checkpoint", checkpoint, "--json"])
        if told.returncode != 0:
            raise Wrong(f"inspect: exit {told.returncode}: {told.stderr.strip()}")
        data = checkpoint.read_bytes()
        tensors = data[8 + int.from_bytes(data[:8], "little") :]
        return f"epochs {json.loads(told.stdout)['epochs']}, {hashlib.sha256(tensors).hexdigest()}"

    def left(self, files):
        """Names of the run's files and of pins, and what each epoch measured. Each run of the program has an events file of its own."""
        names = {str(path.relative_to(files.run)): "" for folder in (files.run / "fit", files.store / "pins") for path in folder.iterdir()}
        with open(files.run / "fit/results.csv", newline="") as file:
            rows = [{name: value for name, value in row.items() if name not in HOW_FAST} for row in csv.DictReader(file)]
        return names | {"results.csv": json.dumps(rows)}


def begun(files):
    must_run(files.build("few"))
    must_run(fit(files, "--epochs", "1"))


TRAININGS = [Fit("fit", begun, lambda files: fit(files, "--resume", "--epochs", "2"))]


def with_a_run(program, *words):
    """A command of a finished run, or of its store; STORE, RUN, SAMPLE and OUT, which is outside of what is watched, are put in."""
    def command(files):
        places = {"STORE": files.store, "RUN": files.run / "fit", "SAMPLE": files.sample, "OUT": files.folder / "out"}
        return [files.programs / program, *(re.sub("^(STORE|RUN|SAMPLE|OUT)", lambda match: str(places[match[1]]), word) for word in words)]

    return command


ON_CPU = ("--device", "cpu", "--threads", "1")
TRAINED = [
    Work("inspect", begun, with_a_run("letterpress-trainer", "inspect", "--checkpoint", "RUN")),
    Work("eval", begun, with_a_run("letterpress-trainer", "eval", "--store", "STORE", "--checkpoint", "RUN", "--split", "train", *ON_CPU)),
    Work("export", begun, with_a_run("letterpress-trainer", "export", "--checkpoint", "RUN", "--to", "onnx", "--out", "OUT.onnx")),
    Work("predict", begun, with_a_run("letterpress-predict", "--checkpoint", "RUN", "--input", "SAMPLE/images", "--out", "OUT", "--engine", "torch", *ON_CPU)),
]
