"""Writes python_written.safetensors with the safetensors package: pip install numpy safetensors; python make_python_written.py"""
from pathlib import Path

import numpy
from safetensors.numpy import save_file

arrays = {
    "stem.weight": (numpy.arange(24, dtype=numpy.float32) / 8 - 1).reshape(2, 3, 2, 2),
    "doubles": numpy.array([1 / 3, -2.5e300], dtype=numpy.float64),
    "halves": numpy.array([1.5, -65504], dtype=numpy.float16),
    "steps": numpy.array(-(2**40), dtype=numpy.int64),
    "small": numpy.array([[1], [-7]], dtype=numpy.int32),
    "bytes": numpy.array([0, 127, 255], dtype=numpy.uint8),
    "flags": numpy.array([True, False], dtype=numpy.bool_),
    "empty": numpy.zeros((0, 4), dtype=numpy.float32),
}
save_file(arrays, Path(__file__).parent / "python_written.safetensors", metadata={"made by": "Python", "ü": "Grüße"})
