"""Reads a checkpoint that checkpoint_test wrote. Exit 77: the package is not there."""
import json
import sys

try:
    from safetensors import safe_open
except ImportError as missing:
    print(missing)
    sys.exit(77)

with safe_open(sys.argv[1], framework="numpy") as file:
    info = json.loads(file.metadata()["letterpress"])
    assert info["version"] == 1 and info["classes"] == ["röd", "blue"] and info["step"] == 17, info
    assert info["graph"]["model"] == "yolov3-tiny" and len(info["graph"]["layers"]) > 20, info["graph"]["model"]
    assert file.get_tensor("a.weight").tolist() == [[1.5, -2.0], [0.25, 3.0]]
    assert file.get_tensor("optimiser.a.weight.step").tolist() == -(2**40)
