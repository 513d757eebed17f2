"""Reads the last.safetensors of a run of yolov3-tiny with three classes, four steps of adamw, by the safetensors package. Exit 77: it is not there."""
import json
import math
import sys

try:
    from safetensors import safe_open
except ImportError as missing:
    print(missing)
    sys.exit(77)

with safe_open(sys.argv[1], framework="numpy") as file:
    info = json.loads(file.metadata()["letterpress"])
    assert info["step"] == 4 and info["classes"] == ["red", "green", "blue"], info
    shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}
    plain = {name: shape for name, shape in shapes.items() if not name.startswith(("train.", "optimiser."))}
    assert not [name for name in shapes if "module." in name]  # the same names for any number of ranks
    # The network by hand: darknet's yolov3-tiny.cfg has 3 x (5 + 3) output channels at each scale.
    assert sorted(shape[0] for name, shape in plain.items() if name.endswith("_output.weight")) == [24, 24], plain
    parameters = [shape for name, shape in plain.items() if not name.endswith((".mean", ".var"))]
    assert sum(map(math.prod, parameters)) == 8674496, sum(map(math.prod, parameters))
    for name, shape in plain.items():
        assert shapes["train." + name] == shape, name
    first = file.get_tensor("conv1.weight")
    assert list(first.shape) == [16, 3, 3, 3] and first.dtype == "float32", first.shape
    moment = file.get_tensor("optimiser.conv1.weight.first_moment")
    assert moment.shape == first.shape and abs(moment).max() > 0
    assert file.get_tensor("optimiser.conv1.weight.steps") == 4
