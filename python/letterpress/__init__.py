"""Letterpress stores for Python: rows without a copy, and batches at the rate of memory.

    snapshot = letterpress.open("store")
    row = snapshot["train"][0]                      # row.image, row.boxes: numpy
    for batch in letterpress.Loader(snapshot, batch=32, dtype="float32"):
        images = torch.from_dlpack(batch.images).permute(0, 3, 1, 2)
"""

try:
    from . import _letterpress
except ImportError as missing:
    where = "its compiled part is not beside it or cannot be loaded; install the wheel, or put the build's folder on PYTHONPATH (build/release/python)"
    raise ImportError(f"letterpress: {where}: {missing}") from missing
from ._letterpress import Batch, Error, Loader, Pass, Row, Snapshot, Split, open

__all__ = ["Batch", "Error", "Loader", "Pass", "Row", "Snapshot", "Split", "open"]

__version__ = _letterpress.version
Error.__module__ = __name__  # as a traceback shows it
