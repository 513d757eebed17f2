"""Trains a YOLOv8 or YOLO11 with Ultralytics on drawn pictures and saves it in every way that people do; import_agreement.py runs it.

usage: PYTHON write_ultralytics.py OUT [--model yolov8n] [--epochs 40] [--side 160]     PYTHON: one that has ultralytics and onnx

OUT gets, of one training: best.pt, epoch.pt (with optimiser and EMA, as in the middle of a training), module.pt, fused.pt, half.pt,
wrapped.pt, state.pt, state_half.pt, state_fused.pt, state_wrapped.pt, state_whole.pt (of the YOLO object); raw.onnx and epoch_raw.onnx (what
Ultralytics exports, with the heads as outputs too); val/*.png of the frame's size; detections.json (its own, of best.pt); facts.json.
"""
import argparse
import functools
import inspect
import json
import os
import pathlib
import shutil

os.environ.update(YOLO_OFFLINE="True", YOLO_AUTOINSTALL="false", OMP_WAIT_POLICY="passive", YOLO_VERBOSE="False", WANDB_MODE="disabled")
import cv2  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

CLASSES = ["disc", "square", "triangle"]
CONFIDENCE, IOU = 0.05, 0.6


def for_this_torch():
    """Older releases rely on defaults that newer PyTorch changed."""
    torch.load = functools.partial(torch.load, weights_only=False)
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        torch.onnx.export = functools.partial(torch.onnx.export, dynamo=False)


def draw(random, side):
    """A picture, and its boxes as class, centre, width and height in 0..1."""
    picture = random.integers(0, 90, (side, side, 3), dtype=numpy.uint8)
    rows = []
    for _ in range(random.integers(1, 4)):
        which, radius = int(random.integers(3)), int(random.integers(side // 12, side // 5))
        x, y = (int(value) for value in random.integers(radius + 1, side - radius - 1, 2))
        colour = tuple(int(value) for value in random.integers(130, 256, 3))
        if which == 0:
            cv2.circle(picture, (x, y), radius, colour, -1)
        elif which == 1:
            cv2.rectangle(picture, (x - radius, y - radius), (x + radius, y + radius), colour, -1)
        else:
            cv2.fillPoly(picture, [numpy.array([[x - radius, y + radius], [x + radius, y + radius], [x, y - radius]])], colour)
        rows.append((which, x / side, y / side, 2 * radius / side, 2 * radius / side))
    return picture, rows


def draw_set(folder, side):
    random = numpy.random.default_rng(1)
    for split, n in (("train", 64), ("val", 16)):
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True, exist_ok=True)
        for i in range(n):
            picture, rows = draw(random, side)
            cv2.imwrite(str(folder / "images" / split / f"{i:03}.png"), picture)
            (folder / "labels" / split / f"{i:03}.txt").write_text("".join("%d %.6f %.6f %.6f %.6f\n" % row for row in rows))
    names = "".join(f"  {i}: {name}\n" for i, name in enumerate(CLASSES))
    (folder / "set.yaml").write_text(f"path: {folder.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}")
    return folder / "set.yaml"


def train(arguments):
    from ultralytics import YOLO

    settings = {"data": str(draw_set(arguments.out / "set", arguments.side)), "imgsz": arguments.side, "epochs": arguments.epochs, "batch": 8,
                "device": "cpu", "workers": 0, "plots": False, "save_period": 1, "project": str((arguments.out / "runs").resolve()),
                "name": "run", "exist_ok": True}
    try:
        YOLO(f"{arguments.model}.yaml").train(**settings, amp=False)
    except SyntaxError:  # releases of early 2023 have no such setting
        YOLO(f"{arguments.model}.yaml").train(**settings)
    found = sorted((arguments.out / "runs").rglob("best.pt"))
    middle = max(1, arguments.epochs // 2)
    shutil.copy(found[0], arguments.out / "best.pt")
    shutil.copy(found[0].with_name(f"epoch{middle}.pt"), arguments.out / "epoch.pt")


def save_variants(out):
    from ultralytics import YOLO

    def model():
        return YOLO(str(out / "best.pt")).model.float().eval()

    torch.save(model(), out / "module.pt")
    torch.save({"model": model().half()}, out / "half.pt")
    torch.save({"model": model().fuse()}, out / "fused.pt")
    torch.save(torch.nn.DataParallel(model()), out / "wrapped.pt")
    torch.save(model().state_dict(), out / "state.pt")
    torch.save(model().half().state_dict(), out / "state_half.pt")
    torch.save(model().fuse().state_dict(), out / "state_fused.pt")
    torch.save({"epoch": 3, "state_dict": torch.nn.DataParallel(model()).state_dict()}, out / "state_wrapped.pt")
    whole = YOLO(str(out / "best.pt"))
    if isinstance(whole, torch.nn.Module):
        torch.save(whole.state_dict(), out / "state_whole.pt")


def export(out, weights, name, side):
    """Its own ONNX export, with the inputs of its decoding as outputs beside the decoded one: [1, 4 * 16 + classes, h, w] each."""
    import onnx
    from ultralytics import YOLO

    copy = out / f"{name}.pt"
    shutil.copy(out / weights, copy)
    exported = pathlib.Path(YOLO(str(copy)).export(format="onnx", imgsz=side, simplify=False, opset=13, device="cpu"))
    model = onnx.shape_inference.infer_shapes(onnx.load(exported))
    shapes = {value.name: [size.dim_value for size in value.type.tensor_type.shape.dim] for value in model.graph.value_info}
    # The outputs of the box and class branches: the convolutions that are a branch's last module, not the `conv` of a block, nor the fixed one.
    heads = [node.output[0] for node in model.graph.node if node.op_type == "Conv" and ".conv." not in node.input[1]]
    for head in heads:
        model.graph.output.append(onnx.helper.make_tensor_value_info(head, onnx.TensorProto.FLOAT, shapes[head]))
    onnx.save(model, exported)
    copy.unlink()
    return {head: shapes[head] for head in heads}


def detect(out, side):
    from ultralytics import YOLO

    model, found = YOLO(str(out / "best.pt")), {}
    for picture in sorted((out / "set" / "images" / "val").glob("*.png")):
        (out / "val").mkdir(exist_ok=True)
        shutil.copy(picture, out / "val" / picture.name)
        boxes = model.predict(str(picture), imgsz=side, conf=CONFIDENCE, iou=IOU, max_det=300, device="cpu", verbose=False)[0].boxes
        found[picture.name] = torch.cat([boxes.xyxy, boxes.conf[:, None], boxes.cls[:, None]], 1).tolist()
    (out / "detections.json").write_text(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--model", default="yolov8n")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--side", type=int, default=160)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    os.environ["YOLO_CONFIG_DIR"] = str(arguments.out / "settings")
    for_this_torch()
    import ultralytics

    train(arguments)
    save_variants(arguments.out)
    facts = {"version": ultralytics.__version__, "torch": torch.__version__, "side": arguments.side, "model": arguments.model, "classes": CLASSES,
             "confidence": CONFIDENCE, "iou": IOU,
             "heads": {"raw": export(arguments.out, "best.pt", "raw", arguments.side),
                       "epoch_raw": export(arguments.out, "epoch.pt", "epoch_raw", arguments.side)}}
    detect(arguments.out, arguments.side)
    (arguments.out / "facts.json").write_text(json.dumps(facts))


if __name__ == "__main__":
    main()
