"""Writes a yolov8n of 3 classes as Ultralytics' programs save theirs, and what PyTorch computes with it. Exit 77: a package is not there.

FOLDER gets best.pt, epoch.pt, fused.pt, wrapped.pt, object.pt, state*.pt and expected.safetensors: images [2, 3, 64, 64] and raw.0 to raw.2,
the outputs at strides 32, 16, 8 in float64. Also what must be refused, in refused/.
"""
import copy
import os
import pathlib
import sys

from ultralytics_layouts import SIDE, C3k2, Conv, DetectionModel, network, nn, of, save_variants, torch

folder = pathlib.Path(sys.argv[1])
refused = folder / "refused"
refused.mkdir()
torch.manual_seed(1)
net = network()
save_variants(folder, net, network())
torch.save({"model": network(80, {i: f"thing {i}" for i in range(80)}).half()}, folder / "eighty.pt")
torch.save({"model": network(3, {i: str(i) for i in range(3)})}, folder / "unnamed.pt")


def save_refused(name, change, base=None):
    changed = copy.deepcopy(base or net)
    changed = change(changed) or changed
    torch.save({"model": changed}, refused / name)


def of_kind(module, kind):
    module.__class__ = kind


@of("models.yolo")
class Model(DetectionModel):
    pass


class Code:
    def __reduce__(self):
        return os.system, (f"touch '{folder}/executed'",)


save_refused("yolov5.pt", lambda net: of_kind(net, Model))
save_refused("c3k2.pt", lambda net: of_kind(net.model[2], C3k2))
save_refused("relu.pt", lambda net: setattr(net.model[4].m[1].cv2, "act", nn.ReLU()))
save_refused("plain.pt", lambda net: setattr(net.model[4].m[1], "add", False))
save_refused("sources.pt", lambda net: setattr(net.model[14], "f", [-1, 2]))
save_refused("strided.pt", lambda net: setattr(net.model[16].conv, "stride", (1, 1)))
save_refused("pooling.pt", lambda net: setattr(net.model[9], "m", nn.MaxPool2d(9, 1, 4)))
save_refused("longer.pt", lambda net: net.model.append(Conv(3, 3)) and None)
torch.jit.save(torch.jit.trace(nn.Conv2d(3, 1, 1), torch.rand(2, 3, SIDE, SIDE)), refused / "script.pt")
not_finite = net.state_dict()
not_finite["model.0.bn.weight"] = not_finite["model.0.bn.weight"] * float("nan")
torch.save(not_finite, refused / "nan.pt")
segment = net.state_dict()
segment["model.22.cv4.0.0.conv.weight"] = torch.zeros(32, 64, 3, 3)
torch.save(segment, refused / "segment.pt")
missing = net.state_dict()
del missing["model.22.cv3.1.2.bias"]
torch.save(missing, refused / "missing.pt")
distances = net.state_dict()
distances["model.22.dfl.conv.weight"] = torch.ones(1, 16, 1, 1)
torch.save(distances, refused / "distances.pt")
torch.save({"model": copy.deepcopy(net).half(), "hook": Code()}, refused / "code.pt")
circle = copy.deepcopy(net).half()
circle._modules["circle"] = circle
torch.save({"model": circle}, refused / "circle.pt")
