"""Runs the models that export_test exported in other programs and compares. Exit 77: a package is not there.

FOLDER holds expected.safetensors ("images" and what our own network makes of them), raw.onnx, and some of half.onnx, decoded.onnx, class.onnx
and agnostic.onnx (detections; all run by onnxruntime, after onnx.checker) and model.cfg with model.weights (run by OpenCV's dnn).
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
try:
    import cv2
    import numpy as np
    import onnx
    import onnxruntime
    from safetensors.numpy import load_file
except ImportError as missing:
    print(missing)
    sys.exit(77)
import agreement

folder = pathlib.Path(sys.argv[1])
expected = load_file(folder / "expected.safetensors")
images = expected["images"]
compared = 0


def metadata_of(model):
    return {entry.key: entry.value for entry in model.metadata_props}


def run(name):
    model = onnx.load(folder / name)
    onnx.checker.check_model(model, full_check=True)
    metadata = metadata_of(model)
    assert json.loads(metadata["classes"]) and json.loads(metadata["letterbox"])["fill"] == 114, metadata
    session = onnxruntime.InferenceSession(str(folder / name), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"images": images})))


def compare(program, what, got, wanted, tolerance):
    global compared
    assert got.shape == wanted.shape, (what, got.shape, wanted.shape)
    agreement.check(program, f"{graph}: {what} up to {float(np.abs(wanted).max()):.2g}", float(np.abs(got - wanted).max()), tolerance)
    compared += 1


def heads():
    return [name for name in expected if name.startswith("raw.")]


graph = metadata_of(onnx.load(folder / "raw.onnx"))["model"]
outputs = run("raw.onnx")
assert len(outputs) == len(heads()), outputs.keys()
for name in heads():
    # Sums in another order differ in the last digits, which are larger where the numbers are, and which deep networks magnify.
    compare("onnxruntime", name, outputs[name[4:]], expected[name], max(1e-4, 3e-5 * float(np.abs(expected[name]).max())))
if (folder / "half.onnx").exists():
    outputs = run("half.onnx")
    for name in heads():
        compare("onnxruntime, float16", name, outputs[name[4:]], expected[name], 0.05 * float(np.abs(expected[name]).max()))
if (folder / "decoded.onnx").exists():
    outputs = run("decoded.onnx")
    side = images.shape[-1]
    compare("onnxruntime", "boxes / side", outputs["boxes"] / side, expected["boxes"] / side, 1e-4)
    compare("onnxruntime", "scores", outputs["scores"], expected["scores"], 1e-4)
for suppression in ("class", "agnostic"):
    if not (folder / (suppression + ".onnx")).exists():
        continue
    order = lambda rows: rows[np.lexsort((-rows[:, 5], rows[:, 6], rows[:, 0]))]
    got, wanted = order(run(suppression + ".onnx")["detections"]), order(expected[suppression])
    assert len(wanted) > 10, len(wanted)
    compare("onnxruntime", f"detections, suppression {suppression},", got, wanted, 1e-3)
if (folder / "model.cfg").exists():
    sections = [line[1:-1] for line in (folder / "model.cfg").read_text().splitlines() if line.startswith("[")][1:]
    before_yolo = [f"conv_{i - 1}" for i, section in enumerate(sections) if section == "yolo"]
    net = cv2.dnn.readNetFromDarknet(str(folder / "model.cfg"), str(folder / "model.weights"))
    net.enableWinograd(False)  # less exact than the sum that a convolution is
    net.setInput(images)
    assert len(before_yolo) == len(heads())
    for layer, got in zip(before_yolo, net.forward(before_yolo)):
        wanted = [expected[name] for name in heads() if expected[name].shape == got.shape]
        assert len(wanted) == 1, (layer, got.shape)
        compare("OpenCV dnn", layer, got, wanted[0], 1e-4)
    names = [name for i, name in enumerate(net.getLayerNames()) if name.startswith("yolo_")]
    decoded = np.concatenate([out.reshape(len(images), -1, out.shape[-1]) for out in net.forward(names)], 1)
    corners = np.concatenate([decoded[..., :2] - decoded[..., 2:4] / 2, decoded[..., :2] + decoded[..., 2:4] / 2], -1)
    compare("OpenCV dnn", "boxes / side", corners, expected["boxes"] / images.shape[-1], 1e-4)
assert compared, "nothing to compare in " + str(folder)
