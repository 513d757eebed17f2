"""Networks in the layout of Ultralytics' programs, for write_yolov8.py and write_yolo11.py: written from their description (what
formats/models/src/layouts names); their classes carry Ultralytics' module names, so that the pickles look like theirs:
scripts/proof/import_agreement.py checks that with files of the program itself. Ends with exit 77 where a package is not there.
"""
import copy
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
    def __init__(self, inputs, outputs, kernel=1, stride=1, groups=1, act=True):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03)
        self.act = nn.SiLU(inplace=True) if act else nn.Identity()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))

    def forward_fuse(self, x):
        return self.act(self.conv(x))


@of("ultralytics.nn.modules.conv")
class DWConv(Conv):
    def __init__(self, channels, kernel):
        super().__init__(channels, channels, kernel, groups=channels)


@of("ultralytics.nn.modules.conv")
class Concat(nn.Module):
    def forward(self, x):
        return torch.cat(x, 1)


@of("ultralytics.nn.modules.block")
class Bottleneck(nn.Module):
    def __init__(self, channels, add, hidden=None):
        super().__init__()
        self.cv1, self.cv2, self.add = Conv(channels, hidden or channels, 3), Conv(hidden or channels, channels, 3), add

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
class C3k(nn.Module):
    def __init__(self, channels):
        super().__init__()
        half = channels // 2
        self.cv1, self.cv2, self.cv3 = Conv(channels, half), Conv(channels, half), Conv(channels, channels)
        self.m = nn.Sequential(*(Bottleneck(half, True) for _ in range(2)))

    def forward(self, x):
        return self.cv3(torch.cat((self.m(self.cv1(x)), self.cv2(x)), 1))


@of("ultralytics.nn.modules.block")
class C3k2(C2f):
    def __init__(self, inputs, outputs, n, share, nested):
        nn.Module.__init__(self)
        half = int(outputs * share)
        self.cv1, self.cv2 = Conv(inputs, 2 * half), Conv((2 + n) * half, outputs)
        self.m = nn.ModuleList(C3k(half) if nested else Bottleneck(half, True, half // 2) for _ in range(n))


@of("ultralytics.nn.modules.block")
class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.num_heads, self.head_dim, self.key_dim = channels // 64, 64, 32
        self.scale = self.key_dim ** -0.5
        self.qkv, self.proj = Conv(channels, 2 * channels, act=False), Conv(channels, channels, act=False)
        self.pe = Conv(channels, channels, 3, groups=channels, act=False)

    def forward(self, x):
        placed = []
        for head in self.qkv(x).chunk(self.num_heads, 1):
            query, key, value = head.split((self.key_dim, self.key_dim, self.head_dim), 1)
            likeness = torch.einsum("bchw,bcyx->bhwyx", query, key) * self.scale  # of each cell to each other
            share = likeness.flatten(3).softmax(3).view_as(likeness)
            placed.append((torch.einsum("bhwyx,bcyx->bchw", share, value), value))
        seen, values = (torch.cat(parts, 1) for parts in zip(*placed))
        return self.proj(seen + self.pe(values))


@of("ultralytics.nn.modules.block")
class PSABlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.attn, self.add = Attention(channels), True
        self.ffn = nn.Sequential(Conv(channels, 2 * channels), Conv(2 * channels, channels, act=False))

    def forward(self, x):
        x = x + self.attn(x)
        return x + self.ffn(x)


@of("ultralytics.nn.modules.block")
class C2PSA(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.cv1, self.cv2, self.m = Conv(channels, channels), Conv(channels, channels), nn.Sequential(PSABlock(channels // 2))

    def forward(self, x):
        kept, x = self.cv1(x).chunk(2, 1)
        return self.cv2(torch.cat((kept, self.m(x)), 1))


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
    def __init__(self, classes, inputs, separable=False):
        super().__init__()
        self.nc, self.nl, self.reg_max, self.stride = classes, 3, 16, torch.tensor([8.0, 16, 32])
        branch = lambda x, hidden, outputs: nn.Sequential(Conv(x, hidden, 3), Conv(hidden, hidden, 3), nn.Conv2d(hidden, outputs, 1))
        self.cv2 = nn.ModuleList(branch(x, 64, 64) for x in inputs)
        hidden = max(inputs[0], min(classes, 100))
        self.cv3 = nn.ModuleList(nn.Sequential(nn.Sequential(DWConv(x, 3), Conv(x, hidden)), nn.Sequential(DWConv(hidden, 3), Conv(hidden, hidden)),
                                               nn.Conv2d(hidden, classes, 1)) if separable else branch(x, hidden, classes) for x in inputs)
        self.dfl = DFL()

    def forward(self, xs):
        return [torch.cat([box(x), score(x)], 1) for x, box, score in zip(xs, self.cv2, self.cv3)]


@of("ultralytics.utils")
class IterableSimpleNamespace(types.SimpleNamespace):
    pass


@of("ultralytics.nn.tasks")
class DetectionModel(nn.Module):
    def __init__(self, listed, classes, names):
        super().__init__()
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


def up():
    return nn.Upsample(scale_factor=2, mode="nearest")


def yolov8n(classes):
    return [(Conv(3, 16, 3, 2), -1), (Conv(16, 32, 3, 2), -1), (C2f(32, 32, 1, True), -1), (Conv(32, 64, 3, 2), -1),
            (C2f(64, 64, 2, True), -1), (Conv(64, 128, 3, 2), -1), (C2f(128, 128, 2, True), -1), (Conv(128, 256, 3, 2), -1),
            (C2f(256, 256, 1, True), -1), (SPPF(256, 256), -1), (up(), -1), (Concat(), [-1, 6]), (C2f(384, 128, 1, False), -1),
            (up(), -1), (Concat(), [-1, 4]), (C2f(192, 64, 1, False), -1), (Conv(64, 64, 3, 2), -1), (Concat(), [-1, 12]),
            (C2f(192, 128, 1, False), -1), (Conv(128, 128, 3, 2), -1), (Concat(), [-1, 9]), (C2f(384, 256, 1, False), -1),
            (Detect(classes, (64, 128, 256)), [15, 18, 21])]


def yolo11n(classes):
    return [(Conv(3, 16, 3, 2), -1), (Conv(16, 32, 3, 2), -1), (C3k2(32, 64, 1, 0.25, False), -1), (Conv(64, 64, 3, 2), -1),
            (C3k2(64, 128, 1, 0.25, False), -1), (Conv(128, 128, 3, 2), -1), (C3k2(128, 128, 1, 0.5, True), -1), (Conv(128, 256, 3, 2), -1),
            (C3k2(256, 256, 1, 0.5, True), -1), (SPPF(256, 256), -1), (C2PSA(256), -1), (up(), -1), (Concat(), [-1, 6]),
            (C3k2(384, 128, 1, 0.5, False), -1), (up(), -1), (Concat(), [-1, 4]), (C3k2(256, 64, 1, 0.5, False), -1), (Conv(64, 64, 3, 2), -1),
            (Concat(), [-1, 13]), (C3k2(192, 128, 1, 0.5, False), -1), (Conv(128, 128, 3, 2), -1), (Concat(), [-1, 10]),
            (C3k2(384, 256, 1, 0.5, True), -1), (Detect(classes, (64, 128, 256), separable=True), [16, 19, 22])]


def network(classes=CLASSES, names=None, layout=yolov8n):
    """With statistics as of a training, and only numbers that float16 holds."""
    net = DetectionModel(layout(classes), classes, names or {0: "red", 1: "green", 2: "blue"})
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


def save_variants(folder, net, other):
    """As people save them; other: what an EMA is preferred to. Also what PyTorch computes with it, in float64."""
    images = torch.rand(2, 3, SIDE, SIDE)
    save_file({"images": images,
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
