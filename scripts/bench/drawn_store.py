"""A store of drawn pictures, the same for every program that is measured."""
import shutil
import subprocess

import environment
from measure import run_program


def make_store(folder, size, rows, programs):
    """folder/store: clean rows of size x size, of pictures of that size, so that no pixel is padding."""
    draw = [environment.PEERS / "bin" / "python", environment.ROOT / "scripts/bench/photographs.py", folder / "pictures", str(rows)]
    subprocess.run([*draw, "--size", f"{size}x{size}"], check=True)
    labels = folder / "pictures" / "train.txt"
    build = [programs / "letterpress-preprocess", "build", "--store", folder / "store", "--input", labels, "--classes", labels.parent / "classes.txt"]
    run_program([*build, "--size", size, "--recipe", "none", "--views", 0])
    shutil.rmtree(folder / "pictures")
