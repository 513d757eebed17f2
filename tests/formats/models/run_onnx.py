"""Runs the ONNX models of onnx_test.cpp, whose weights are zero but for the biases that lift the last class of the coarsest head, and compares what
they return with what a person computes of that: logits are biases; YOLOv3's boxes are their anchors about the middle of their cell; a distribution of
equal parts over 0..15 strides has its mean at 7.5.

Run: python3 run_onnx.py FOLDER
"""
import math
import pathlib
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}")
    raise SystemExit(77)

SIDE, CLASSES, LIFTED = 32, 2, 4.0
ANCHORS = {32: [(8, 9), (10, 11), (12, 13)], 16: [(2, 3), (4, 5), (6, 7)]}  # the larger half is the coarse head's


def sigmoid(logit):
    return 1 / (1 + math.exp(-logit))


def cells(stride):
    n = SIDE // stride
    return [((x + 0.5) * stride, (y + 0.5) * stride) for y in range(n) for x in range(n)]


def anchored():
    """(box, scores) of each prediction."""
    for stride, anchors in ANCHORS.items():
        for x, y in cells(stride):
            for at, (width, height) in enumerate(anchors):
                lifted = LIFTED if stride == SIDE and at == 2 else 0
                box = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
                yield box, [sigmoid(lifted) * sigmoid(0), sigmoid(lifted) * sigmoid(lifted)]


def anchor_free():
    for stride in (32, 16, 8):
        far = 7.5 * stride
        for x, y in cells(stride):
            yield (x - far, y - far, x + far, y + far), [sigmoid(0), sigmoid(LIFTED if stride == SIDE else 0)]


def check(name, got, wanted, tolerance):
    wanted = np.asarray(wanted, np.float32)
    if got.shape != wanted.shape or not np.allclose(got, wanted, atol=tolerance):
        raise SystemExit(f"{name}: {got.shape} {got.tolist()}, must be {wanted.shape} {wanted.tolist()}")


def wanted_raw(model):
    if model == "minigooglenet":
        return [np.array([0, LIFTED])]
    if model == "yolov3-tiny":
        heads = [np.zeros((21, 1, 1)), np.zeros((21, 2, 2))]
        heads[0][[18, 20]] = LIFTED  # of the third anchor: x y w h objectness class class
        return heads
    heads = [np.zeros((66, n, n)) for n in (1, 2, 4)]
    heads[0][65] = LIFTED
    return heads


def wanted(model, kind, pictures):
    """What each output has for so many pictures."""
    if kind == "raw":
        return [np.stack([head] * pictures) for head in wanted_raw(model)]
    predictions = list(anchored() if model == "yolov3-tiny" else anchor_free())
    boxes, scores = (np.array(part) for part in zip(*predictions))
    if kind == "decoded":
        return [np.stack([boxes] * pictures), np.stack([scores] * pictures)]
    if kind == "ultralytics":
        rows = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2], scores], axis=1)
        return [np.stack([rows.T] * pictures)]
    at = int(scores[:, 1].argmax())
    return [np.array([[picture, *boxes[at], scores[at, 1], 1] for picture in range(pictures)])]


def main():
    files = sorted(pathlib.Path(sys.argv[1]).glob("*.onnx"))
    if len(files) != 19:
        raise SystemExit(f"{len(files)} models, must be 19")
    for file in files:
        model, kind, _ = file.name.rsplit(".", 2)
        read = onnx.load(file)
        onnx.checker.check_model(read, full_check=True)
        if kind == "decoded" and {prop.key: prop.value for prop in read.metadata_props}.get("note") != "by hand":
            raise SystemExit(f"{file.name}: its metadata is not there")
        session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        pictures = np.random.default_rng(1).random((2, 3, SIDE, SIDE), np.float32)
        outputs = session.run(None, {"images": pictures})
        expected = wanted(model, kind.split("-")[0], 2)
        if len(outputs) != len(expected):
            raise SystemExit(f"{file.name}: {len(outputs)} outputs, must be {len(expected)}")
        for got, right in zip(outputs, expected):
            check(file.name, got, right, 0.25 if kind.endswith("half") else 1e-3)


if __name__ == "__main__":
    main()
