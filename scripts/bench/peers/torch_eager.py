"""Training steps of PyTorch eager, of any model of the table: torch_eager.py CHECKPOINT STORE BATCH SECONDS prints pictures per second.

CHECKPOINT is one of letterpress-trainer's: its graph is built of torch.nn modules, its weights are loaded, all of them. Rows of STORE are in memory before the
clock runs. fp32, channels_last, SGD with momentum. The loss is the mean of the squared outputs, which is less work than a detection loss.
"""
import json
import pathlib
import struct
import sys
import time

import h5py
import numpy
import torch
from torch import nn
from torch.nn import functional

ACTIVATIONS = {"none": nn.Identity, "leaky_relu": lambda: nn.LeakyReLU(0.1), "relu": nn.ReLU, "silu": nn.SiLU}
DTYPES = {"F32": numpy.float32, "F16": numpy.float16}


class Padded(nn.Module):
    """A module behind a padding that may be another on the right and below."""

    def __init__(self, layer, module, value):
        super().__init__()
        start = layer.get("padding", 0)
        end = layer.get("padding_end", -1)
        end = start if end < 0 else end
        self.padding, self.module, self.value = (start, end, start, end), module, value

    def forward(self, x):
        return self.module(functional.pad(x, self.padding, value=self.value) if any(self.padding) else x)


def conv(layer, channels):
    kernel, stride, norm = layer.get("kernel", 1), layer.get("stride", 1), layer.get("norm", False)
    start, end = layer.get("padding", 0), layer.get("padding_end", -1)
    even = end < 0 or end == start
    convolution = nn.Conv2d(channels, layer["channels"], kernel, stride, start if even else 0, bias=not norm)
    parts = [convolution if even else Padded(layer, convolution, 0.0)]
    if norm:
        parts.append(nn.BatchNorm2d(layer["channels"], layer.get("norm_epsilon", 1e-5), layer.get("norm_momentum", 0.1)))
    return nn.Sequential(*parts, ACTIVATIONS[layer.get("activation", "none")]())


def module_of(layer, channels):
    kind, kernel, stride = layer["kind"], layer.get("kernel", 1), layer.get("stride", 1)
    if kind == "conv":
        return conv(layer, channels)
    if kind == "max_pool":
        return Padded(layer, nn.MaxPool2d(kernel, stride), float("-inf"))
    if kind == "upsample":
        return nn.Upsample(scale_factor=stride)
    if kind == "average_pool":
        return nn.AvgPool2d(kernel, stride)
    if kind == "linear":
        return nn.Sequential(nn.Linear(channels, layer["channels"]), ACTIVATIONS[layer.get("activation", "none")]())
    if kind == "dropout":
        return nn.Dropout(layer.get("dropout", 0.0))
    if kind == "flatten":
        return nn.Flatten()
    if kind == "add":
        return ACTIVATIONS[layer.get("activation", "none")]()
    if kind in ("input", "concat", "slice", "head"):
        return nn.Identity()
    raise SystemExit(f"torch_eager.py: layers of kind {kind} are not built here")


class Network(nn.Module):
    def __init__(self, graph):
        super().__init__()
        self.layers, self.outputs = graph["layers"], graph["outputs"]
        self.mean = torch.tensor(graph["mean"]).view(1, 3, 1, 1) if graph.get("mean") else None
        of_input = [self.layers[layer["inputs"][0]]["channels"] if layer["inputs"] else 3 for layer in self.layers]
        self.parts = nn.ModuleList(module_of(layer, channels) for layer, channels in zip(self.layers, of_input))

    def forward(self, x):
        made = []
        x = x if self.mean is None else x - self.mean
        for layer, part in zip(self.layers, self.parts):
            inputs = [made[i] for i in layer["inputs"]] or [x]
            if layer["kind"] == "add":
                joined = sum(inputs[1:], inputs[0])
            elif layer["kind"] == "slice":
                first = layer.get("slice_first", 0)
                joined = inputs[0][:, first : first + layer["channels"]]
            else:
                joined = inputs[0] if len(inputs) == 1 else torch.cat(inputs, 1)
            made.append(part(joined))
        return [made[i] for i in self.outputs]

    def load(self, tensors):
        """Every tensor of the checkpoint to the module of its layer; none is left over."""
        left = dict(tensors)
        for layer, part in zip(self.layers, self.parts):
            if layer["kind"] not in ("conv", "linear"):
                continue
            convolution = part[0].module if isinstance(part[0], Padded) else part[0]
            targets = {"weight": convolution.weight, "bias": convolution.bias}
            if layer.get("norm", False):
                targets |= {"norm.weight": part[1].weight, "norm.bias": part[1].bias}
                targets |= {"norm.mean": part[1].running_mean, "norm.var": part[1].running_var}
            for name, target in targets.items():
                if target is not None:
                    target.data.copy_(torch.from_numpy(left.pop(f"{layer['name']}.{name}")))
        if left:
            raise SystemExit(f"torch_eager.py: the network has no place for {', '.join(left)}")


def read_checkpoint(path):
    """(graph, weights): the names without train. and optimiser. are the weights to use."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        content = file.read()
    graph = json.loads(header.pop("__metadata__")["letterpress"])["graph"]
    tensors = {}
    for name, tensor in header.items():
        if name.startswith(("train.", "optimiser.")):
            continue
        first, last = tensor["data_offsets"]
        tensors[name] = numpy.frombuffer(content[first:last], DTYPES[tensor["dtype"]]).reshape(tensor["shape"]).copy()
    return graph, tensors


def read_rows(store, n):
    shards = [h5py.File(path, "r")["images"] for path in sorted((store / "shards").glob("*.h5"))]
    rows = numpy.concatenate([shard[:n] for shard in shards])[:n]
    return torch.from_numpy(rows).permute(0, 3, 1, 2).to(torch.float32).div_(255).contiguous(memory_format=torch.channels_last)


def main():
    store, batch, seconds = pathlib.Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    torch.manual_seed(1)
    graph, tensors = read_checkpoint(sys.argv[1])
    network = Network(graph)
    network.load(tensors)
    network = network.to(memory_format=torch.channels_last).train()
    optimiser = torch.optim.SGD(network.parameters(), lr=1e-9, momentum=0.9)
    images = read_rows(store, batch)

    def step():
        optimiser.zero_grad(set_to_none=True)
        loss = sum((output**2).mean() for output in network(images))
        loss.backward()
        optimiser.step()
        return loss.item()

    step()
    begin, steps, passed = time.perf_counter(), 0, 0.0
    while steps == 0 or passed < seconds:
        step()
        steps += 1
        passed = time.perf_counter() - begin
    print(json.dumps({"items_per_s": steps * len(images) / passed, "versions": {"torch": torch.__version__}}))


if __name__ == "__main__":
    main()
