"""The programs of a wheel as console scripts: the one beside this file takes this process over."""

import importlib.metadata
import importlib.util
import os
import pathlib
import sys

TORCH = "2.11"  # what letterpress-trainer and letterpress-predict of this wheel were linked against
CONFIGURATION = 78  # docs/reference/exit-codes.md


def _run(name):
    program = pathlib.Path(__file__).parent / "bin" / name
    if not program.exists():
        _refuse(name, "is not in this package, which was built without the programs", "install a wheel of scripts/package.sh")
    os.execv(program, [name, *sys.argv[1:]])


def _refuse(name, what, fix="pip install 'letterpress[train]'"):
    print(f"{name}: {what}; {fix}", file=sys.stderr)
    sys.exit(CONFIGURATION)


def _name_openvino():
    """letterpress-predict loads it from there, where it is installed."""
    found = importlib.util.find_spec("openvino")
    if found and found.origin:
        os.environ.setdefault("LETTERPRESS_OPENVINO", str(pathlib.Path(found.origin).parent / "libs"))


def _run_with_torch(name):
    """Their libraries are the installed torch's, wherever that is."""
    found = importlib.util.find_spec("torch")
    if not found or not found.origin:
        _refuse(name, f"needs torch {TORCH}, none is installed")
    version = importlib.metadata.version("torch")
    if version.split(".")[:2] != TORCH.split("."):
        _refuse(name, f"needs torch {TORCH}, version {version} is installed")
    libraries = str(pathlib.Path(found.origin).parent / "lib")
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [libraries, os.environ.get("LD_LIBRARY_PATH")]))
    _run(name)


def preprocess():
    _run("letterpress-preprocess")


def trainer():
    _run_with_torch("letterpress-trainer")


def predict():
    _name_openvino()
    _run_with_torch("letterpress-predict")
