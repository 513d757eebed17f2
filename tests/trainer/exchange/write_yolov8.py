"""Writes a yolov8n of 3 classes as Ultralytics' programs save theirs, and what PyTorch computes with it. Exit 77: a package is not there.

FOLDER gets best.pt, epoch.pt, fused.pt, wrapped.pt, object.pt, state*.pt and expected.safetensors: images [2, 3, 64, 64] and raw.0 to raw.2,
the outputs at strides 32, 16, 8 in float64. Also what must be refused, in refused/. The network is written from its description (the graph of
arXiv papers that formats/models/src/yolov8.cpp names); its classes carry Ultralytics' module names, so that the pickles look like theirs:
scripts/proof/import_agreement.py checks that with files of the program itself.
"""
import copy
import os
import pathlib
import sys
import types

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / ".deps/torch"))
try:
    import torch
    from safetensors.torch import save_file
    from torch import nn
except ImportError as missing:
    print(missing)
    sys.exit(77)

folder = pathlib.Path(sys.argv[1])
refused = folder / "refused"
refused.mkdir()
torch.manual_seed(1)
CLASSES, SIDE = 3, 64


def of(module):
    """Puts a class where a pickle looks for it: `module` of another program."""
    def place(class_):
        parts = module.split(".")
        for i in range(len(parts)):
            sys.modules.setdefault(".".join(parts[:i + 1]), types.ModuleType(".".join(parts[:i + 1])))
        class_.__module__, class_.__qualname__ = module, class_.__name__
        setattr(sys.modules[module], class_.__name__, class_)
        return class_
    return place


@of("ultralytics.nn.modules.conv")
class Conv(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))

    def forward_fuse(self, x):
        return self.act(self.conv(x))


@of("ultralytics.nn.modules.conv")
class Concat(nn.Module):
    def forward(self, x):
        return torch.cat(x, 1)


@of("ultralytics.nn.modules.block")
class Bottleneck(nn.Module):
    def __init__(self, channels, add):
        super().__init__()
        self.cv1, self.cv2, self.add = Conv(channels, channels, 3), Conv(channels, channels, 3), add

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.add else self.cv2(self.cv1(x))


@of("ultralytics.nn.modules.block")
class C2f(nn.Module):
    def __init__(self, inputs, outputs, n, add):
        super().__init__()
        half = outputs // 2
        self.cv1, self.cv2 = Conv(inputs, outputs), Conv((2 + n) * half, outputs)
        self.m = nn.ModuleList(Bottleneck(half, add) for _ in range(n))

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for block in self.m:
            parts.append(block(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


@of("ultralytics.nn.modules.block")
class C3k2(C2f):
    pass


@of("ultralytics.nn.modules.block")
class SPPF(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.cv1, self.cv2, self.m = Conv(inputs, inputs // 2), Conv(inputs * 2, outputs), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(self.m(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


@of("ultralytics.nn.modules.block")
class DFL(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 1, 1, bias=False).requires_grad_(False)
        self.conv.weight.data[:] = torch.arange(16.0).view(1, 16, 1, 1)


@of("ultralytics.nn.modules.head")
class Detect(nn.Module):
    def __init__(self, classes, inputs):
        super().__init__()
        self.nc, self.nl, self.reg_max, self.stride = classes, 3, 16, torch.tensor([8.0, 16, 32])
        branch = lambda x, hidden, outputs: nn.Sequential(Conv(x, hidden, 3), Conv(hidden, hidden, 3), nn.Conv2d(hidden, outputs, 1))
        self.cv2 = nn.ModuleList(branch(x, 64, 64) for x in inputs)
        self.cv3 = nn.ModuleList(branch(x, max(inputs[0], min(classes, 100)), classes) for x in inputs)
        self.dfl = DFL()

    def forward(self, xs):
        return [torch.cat([box(x), score(x)], 1) for x, box, score in zip(xs, self.cv2, self.cv3)]


@of("ultralytics.utils")
class IterableSimpleNamespace(types.SimpleNamespace):
    pass


@of("ultralytics.nn.tasks")
class DetectionModel(nn.Module):
    def __init__(self, classes, names):
        super().__init__()
        up = lambda: nn.Upsample(scale_factor=2, mode="nearest")
        listed = [(Conv(3, 16, 3, 2), -1), (Conv(16, 32, 3, 2), -1), (C2f(32, 32, 1, True), -1), (Conv(32, 64, 3, 2), -1),
                  (C2f(64, 64, 2, True), -1), (Conv(64, 128, 3, 2), -1), (C2f(128, 128, 2, True), -1), (Conv(128, 256, 3, 2), -1),
                  (C2f(256, 256, 1, True), -1), (SPPF(256, 256), -1), (up(), -1), (Concat(), [-1, 6]), (C2f(384, 128, 1, False), -1),
                  (up(), -1), (Concat(), [-1, 4]), (C2f(192, 64, 1, False), -1), (Conv(64, 64, 3, 2), -1), (Concat(), [-1, 12]),
                  (C2f(192, 128, 1, False), -1), (Conv(128, 128, 3, 2), -1), (Concat(), [-1, 9]), (C2f(384, 256, 1, False), -1),
                  (Detect(classes, (64, 128, 256)), [15, 18, 21])]
        self.model = nn.Sequential(*(module for module, _ in listed))
        for i, (module, source) in enumerate(listed):
            module.i, module.f = i, source
        self.names, self.stride, self.nc = names, torch.tensor([8.0, 16, 32]), classes
        self.args = IterableSimpleNamespace(task="detect", imgsz=SIDE, lr0=0.01)

    def forward(self, x):
        outputs = []
        for module in self.model:
            inputs = x if module.f == -1 else [x if i == -1 else outputs[i] for i in module.f]
            x = module(inputs)
            outputs.append(x)
        return x


def network(classes=CLASSES, names=None):
    """With statistics as of a training, and only numbers that float16 holds."""
    net = DetectionModel(classes, names or {0: "red", 1: "green", 2: "blue"})
    norms = [module for module in net.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.weight.data, norm.bias.data = torch.rand(norm.num_features) * 0.8 + 0.7, torch.rand(norm.num_features) * 0.6 - 0.3
        norm.momentum = 1  # one batch's statistics
    with torch.no_grad():
        net.train()(torch.rand(4, 3, SIDE, SIDE))
    for norm in norms:
        norm.momentum = 0.03
    return net.half().float().eval()


def fused(net):
    net = copy.deepcopy(net)
    for module in net.modules():
        if isinstance(module, Conv):
            module.conv = torch.nn.utils.fuse_conv_bn_eval(module.conv, module.bn)
            del module.bn
            module.forward = module.forward_fuse
    return net


@of("ultralytics.yolo.engine.model")
class YOLO:
    """Of 2023: no module itself."""


net, other = network(), network()
save_file({"images": (images := torch.rand(2, 3, SIDE, SIDE)),
           **{f"raw.{2 - i}": output.float().contiguous() for i, output in enumerate(copy.deepcopy(net).double()(images.double()))}},
          folder / "expected.safetensors")
extra = {"date": "2026-01-01T00:00:00", "version": "8.4.0", "best_fitness": 0.5, "train_args": {"imgsz": SIDE, "lr0": 0.01}}
torch.save({"epoch": -1, "model": copy.deepcopy(net).half(), "ema": None, "updates": None, "optimizer": None, **extra}, folder / "best.pt")
torch.save({"epoch": 3, "model": other, "ema": copy.deepcopy(net).half(), "updates": 9,
            "optimizer": torch.optim.SGD(net.parameters(), lr=0.01).state_dict(), **extra}, folder / "epoch.pt")
torch.save({"model": fused(net)}, folder / "fused.pt")
torch.save(nn.DataParallel(net), folder / "wrapped.pt")
whole = YOLO()
whole.model, whole.task = net, "detect"
torch.save(whole, folder / "object.pt")
torch.save(net.state_dict(), folder / "state.pt")
torch.save(copy.deepcopy(net).half().state_dict(), folder / "state_half.pt")
torch.save(fused(net).state_dict(), folder / "state_fused.pt")
torch.save({"state_dict": nn.DataParallel(net).state_dict()}, folder / "state_wrapped.pt")
torch.save({f"model.{name}": tensor for name, tensor in net.state_dict().items()}, folder / "state_whole.pt")
save_file({name: tensor.contiguous() for name, tensor in net.state_dict().items()}, folder / "state.safetensors")
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
torch.jit.save(torch.jit.trace(nn.Conv2d(3, 1, 1), images), refused / "script.pt")
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
