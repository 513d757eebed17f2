"""Writes detector.safetensors, classifier.safetensors and mixer.safetensors: graphs as JSON, weights, and what PyTorch computes with modules written by hand.

    pip install torch numpy safetensors; python make_networks.py

Everything is computed in float64 and stored as float32. Names: weight.<tensor>, images, output.<i> and statistics.<tensor> of one training
step, gradient.<tensor> of loss = sum(output * target.<i>), eval.<i> of the eval mode after it, frozen.<i> of a training step with
the backbone frozen.
"""
import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

HERE = Path(__file__).parent


def layer(name, kind, inputs, channels, stage, **others):
    return {"name": name, "kind": kind, "inputs": inputs, "channels": channels, **others, "stage": stage}


NORM = {"norm": True, "norm_epsilon": 0.001, "norm_momentum": 0.03}
WIDE_NORM = {"norm": True, "norm_epsilon": 0.1, "norm_momentum": 0.25}
LEAKY = {"activation": "leaky_relu"}

DETECTOR = {
    "version": 1, "model": "detector", "loss": "yolov3", "classes": 1, "side": 16, "anchors": [2, 2, 4, 4, 8, 8], "outputs": [13, 16],
    "layers": [
        layer("images", "input", [], 3, "backbone"),
        layer("stem", "conv", [0], 6, "backbone", kernel=3, padding=1, **NORM, **LEAKY),
        layer("down", "conv", [1], 8, "backbone", kernel=3, stride=2, padding=1, **WIDE_NORM, **LEAKY),
        layer("reduce", "conv", [2], 4, "backbone", **NORM, **LEAKY),
        layer("expand", "conv", [3], 8, "backbone", kernel=3, padding=1, **NORM, **LEAKY),
        layer("residual", "add", [4, 2], 8, "backbone"),
        layer("pool", "max_pool", [5], 8, "backbone", kernel=2, padding_end=1),
        layer("deep", "conv", [6], 8, "neck", kernel=3, stride=2, padding=1, **NORM, activation="silu"),
        layer("wide_pool", "max_pool", [7], 8, "neck", kernel=5, padding=2),
        layer("pyramid", "concat", [7, 8], 16, "neck"),
        layer("up", "upsample", [9], 16, "neck", stride=2),
        layer("part", "slice", [6], 4, "neck", slice_first=2),
        layer("coarse_output", "conv", [9], 12, "head"),
        layer("coarse", "head", [12], 12, "head", head_stride=4, anchor_mask=[1, 2]),
        layer("joined", "concat", [10, 11], 20, "neck"),
        layer("fine_output", "conv", [14], 6, "head", kernel=2, padding_end=1),
        layer("fine", "head", [15], 6, "head", head_stride=2, anchor_mask=[0]),
    ],
}


class Detector(nn.Module):
    backbone = ("stem", "down", "reduce", "expand")

    def __init__(self):
        super().__init__()
        self.stem, self.stem_norm = nn.Conv2d(3, 6, 3, 1, 1, bias=False), nn.BatchNorm2d(6, 1e-3, 0.03)
        self.down, self.down_norm = nn.Conv2d(6, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8, 0.1, 0.25)
        self.reduce, self.reduce_norm = nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4, 1e-3, 0.03)
        self.expand, self.expand_norm = nn.Conv2d(4, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8, 1e-3, 0.03)
        self.deep, self.deep_norm = nn.Conv2d(8, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8, 1e-3, 0.03)
        self.coarse_output = nn.Conv2d(16, 12, 1)
        self.fine_output = nn.Conv2d(20, 6, 2)

    def forward(self, images):
        def leaky(x):
            return torch.where(x > 0, x, 0.1 * x)

        stem = leaky(self.stem_norm(self.stem(images)))
        down = leaky(self.down_norm(self.down(stem)))
        residual = leaky(self.expand_norm(self.expand(leaky(self.reduce_norm(self.reduce(down)))))) + down
        # The largest of each pixel, its right and its lower neighbours; outside nothing is seen.
        low = torch.finfo(residual.dtype).min
        grown = F.pad(residual, (0, 1, 0, 1), value=low)
        pool = torch.stack([grown[..., :-1, :-1], grown[..., 1:, :-1], grown[..., :-1, 1:], grown[..., 1:, 1:]]).amax(0)
        deep = self.deep_norm(self.deep(pool))
        deep = deep * torch.sigmoid(deep)
        pyramid = torch.cat([deep, F.max_pool2d(deep, 5, 1, 2)], 1)
        up = pyramid.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
        joined = torch.cat([up, pool[:, 2:6]], 1)
        return [self.coarse_output(pyramid), self.fine_output(F.pad(joined, (0, 1, 0, 1)))]


CLASSIFIER = {
    "version": 1, "model": "classifier", "loss": "cross-entropy", "classes": 5, "side": 12, "outputs": [9],
    "layers": [
        layer("images", "input", [], 3, "backbone"),
        layer("first", "conv", [0], 6, "backbone", kernel=3, **NORM, activation="relu"),
        layer("small", "max_pool", [1], 6, "backbone", kernel=3, stride=2),
        layer("strided", "conv", [1], 6, "backbone", kernel=3, stride=2, **NORM, activation="relu"),
        layer("joined", "concat", [3, 2], 12, "backbone"),
        layer("mean", "average_pool", [4], 12, "head", kernel=2, stride=2),
        layer("flat", "flatten", [5], 48, "head"),
        layer("drop", "dropout", [6], 48, "head", dropout=0.0),
        layer("linear", "linear", [7], 5, "head"),
        layer("scores", "head", [8], 5, "head"),
    ],
}


class Classifier(nn.Module):
    backbone = ("first", "strided")

    def __init__(self):
        super().__init__()
        self.first, self.first_norm = nn.Conv2d(3, 6, 3, bias=False), nn.BatchNorm2d(6, 1e-3, 0.03)
        self.strided, self.strided_norm = nn.Conv2d(6, 6, 3, 2, bias=False), nn.BatchNorm2d(6, 1e-3, 0.03)
        self.linear = nn.Linear(48, 5)

    def forward(self, images):
        first = torch.relu(self.first_norm(self.first(images)))
        strided = torch.relu(self.strided_norm(self.strided(first)))
        joined = torch.cat([strided, F.max_pool2d(first, 3, 2)], 1)
        return [self.linear(F.avg_pool2d(joined, 2).flatten(1))]


HEADS, KEYS, VALUES = 3, 2, 4
MIXER = {
    "version": 1, "model": "mixer", "loss": "task-aligned", "classes": 2, "side": 12, "outputs": [9],
    "layers": [
        layer("images", "input", [], 3, "backbone"),
        layer("stem", "conv", [0], 12, "backbone", kernel=3, stride=2, padding=1, **NORM, activation="silu"),
        layer("quarters", "conv", [1], 8, "backbone", kernel=3, padding=1, groups=4, **NORM, activation="silu"),
        layer("qkv", "conv", [2], HEADS * (2 * KEYS + VALUES), "backbone", **NORM),
        layer("attend", "attention", [3], HEADS * VALUES, "backbone", attention_heads=HEADS, key_channels=KEYS),
        layer("place", "conv", [4], 12, "neck", kernel=3, padding=1, groups=12, **NORM),
        layer("placed", "add", [4, 5], 12, "neck"),
        layer("boxes", "conv", [6], 8, "head"),
        layer("classes", "conv", [6], 2, "head"),
        layer("scores", "head", [7, 8], 10, "head", head_stride=2),
    ],
}


class Mixer(nn.Module):
    backbone = ("stem", "quarters", "qkv")

    def __init__(self):
        super().__init__()
        self.stem, self.stem_norm = nn.Conv2d(3, 12, 3, 2, 1, bias=False), nn.BatchNorm2d(12, 1e-3, 0.03)
        self.quarters, self.quarters_norm = nn.Conv2d(12, 8, 3, 1, 1, groups=4, bias=False), nn.BatchNorm2d(8, 1e-3, 0.03)
        self.qkv, self.qkv_norm = nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24, 1e-3, 0.03)
        self.place, self.place_norm = nn.Conv2d(12, 12, 3, 1, 1, groups=12, bias=False), nn.BatchNorm2d(12, 1e-3, 0.03)
        self.boxes, self.classes = nn.Conv2d(12, 8, 1), nn.Conv2d(12, 2, 1)

    def forward(self, images):
        def silu(x):
            return x * torch.sigmoid(x)

        stem = silu(self.stem_norm(self.stem(images)))
        qkv = self.qkv_norm(self.qkv(silu(self.quarters_norm(self.quarters(stem)))))
        seen = []
        for head in qkv.split(2 * KEYS + VALUES, 1):
            query, key, value = head[:, :KEYS], head[:, KEYS:2 * KEYS], head[:, 2 * KEYS:]
            likeness = torch.einsum("bchw,bcyx->bhwyx", query, key) / KEYS ** 0.5  # of each cell to each other
            weight = torch.exp(likeness - likeness.amax((3, 4), keepdim=True))
            seen.append(torch.einsum("bhwyx,bcyx->bchw", weight / weight.sum((3, 4), keepdim=True), value))
        seen = torch.cat(seen, 1)
        placed = seen + self.place_norm(self.place(seen))
        return [torch.cat([self.boxes(placed), self.classes(placed)], 1)]


def our_name(name):
    name = name.replace("running_mean", "mean").replace("running_var", "var")
    return name.replace("_norm.", ".norm.")


def statistics(module):
    return {our_name(name): value.clone() for name, value in module.named_buffers() if "running" in name}


def freeze(module):
    for name in module.backbone:
        getattr(module, name + "_norm").eval()


def write(file, graph, module, side):
    torch.manual_seed(len(file))
    module.double()
    for name, value in (*module.named_parameters(), *module.named_buffers()):
        if value.is_floating_point():
            drawn = 0.5 * torch.rand(value.shape, dtype=torch.float64) + (0.6 if "norm.weight" in name or "var" in name else -0.25)
            value.data.copy_(drawn.float())  # exact in the file
    begin = {name: value.clone() for name, value in module.state_dict().items()}
    tensors = {"weight." + our_name(name): value for name, value in begin.items() if "num_batches" not in name}
    images = torch.rand(3, 3, side, side).double()
    tensors["images"] = images

    module.train()
    freeze(module)
    tensors |= {f"frozen.{i}": output.detach() for i, output in enumerate(module(images))}
    module.load_state_dict(begin)
    module.train()
    outputs = module(images)
    targets = [torch.randn(output.shape).double() for output in outputs]
    sum((output * target).sum() for output, target in zip(outputs, targets)).backward()
    for i, (output, target) in enumerate(zip(outputs, targets)):
        tensors |= {f"output.{i}": output.detach(), f"target.{i}": target}
    tensors |= {"gradient." + our_name(name): value.grad for name, value in module.named_parameters()}
    tensors |= {"statistics." + name: value for name, value in statistics(module).items()}
    module.eval()
    tensors |= {f"eval.{i}": output.detach() for i, output in enumerate(module(images))}
    save_file({name: value.float().contiguous() for name, value in tensors.items()}, HERE / file, metadata={"graph": json.dumps(graph)})


write("detector.safetensors", DETECTOR, Detector(), 16)
write("classifier.safetensors", CLASSIFIER, Classifier(), 12)
write("mixer.safetensors", MIXER, Mixer(), 12)
