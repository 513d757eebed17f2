"""Reads a file that weights_test wrote: its arrays must be what that test gave. Exit 77: the package is not there."""
import sys

try:
    import numpy
    from safetensors import safe_open
except ImportError as missing:
    print(missing)
    sys.exit(77)

with safe_open(sys.argv[1], framework="numpy") as file:
    assert file.metadata() == {"letterpress": '{"a": "ü"}'}, file.metadata()
    assert sorted(file.keys()) == ["a.weight", "count", "half", "none"], file.keys()
    weight = file.get_tensor("a.weight")
    assert weight.dtype == numpy.float32, weight.dtype
    assert weight.tolist() == [[1.5, -2.0, 0.25], [3.0, 4.0, -0.125]], weight
    count = file.get_tensor("count")
    assert count.dtype == numpy.int64 and count.shape == () and count == -(2**40), count
    assert file.get_tensor("half").tolist() == [1.5, -65504.0]
    assert file.get_tensor("none").shape == (0, 4)
