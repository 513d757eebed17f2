"""Writes the small weight files of other programs that weight_file_test reads:

    pip install h5py numpy safetensors torch; python make_foreign.py

Two convolutions, the first with a norm. Every array counts up in eighths, in the layout of its own program, from a number of its own:
first kernel 0, gamma 1000, beta 2000, mean 3000, variance 4000, second kernel 5000, bias 6000. Kernels are [3, 2, 2, 2] and [2, 3, 1, 1] as
[out, in, h, w].
"""
from collections import OrderedDict
from pathlib import Path

import h5py
import numpy
import torch
from safetensors.torch import save_file

HERE = Path(__file__).parent


def count(begin, *shape):
    return (begin + numpy.arange(int(numpy.prod(shape)), dtype=numpy.float32) / 8).reshape(shape)


ARRAYS = [("conv", "kernel", count(0, 3, 2, 2, 2)), ("norm", "gamma", count(1000, 3)), ("norm", "beta", count(2000, 3)),
          ("norm", "mean", count(3000, 3)), ("norm", "variance", count(4000, 3)), ("output", "kernel", count(5000, 2, 3, 1, 1)),
          ("output", "bias", count(6000, 2))]
KERAS_LAYER = {"conv": "conv2d_9", "norm": "batch_normalization_9", "output": "conv2d_10"}
KERAS_WEIGHT = {"kernel": "kernel:0", "bias": "bias:0", "gamma": "gamma:0", "beta": "beta:0", "mean": "moving_mean:0", "variance": "moving_variance:0"}
TORCH_LAYER = {"conv": "blocks.9.conv", "norm": "blocks.9.bn", "output": "blocks.10.conv"}
TORCH_TENSOR = {"kernel": "weight", "bias": "bias", "gamma": "weight", "beta": "bias", "mean": "running_mean", "variance": "running_var"}


def keras_group(parent, layers):
    """As Keras 2 saves them: names as attributes, a group per layer; the deepest layer first, as Keras lists them."""
    names = ["input_1"] + [KERAS_LAYER[layer] for layer in layers]
    parent.attrs["layer_names"] = [name.encode() for name in names]
    for layer in names:
        parent.create_group(layer).attrs["weight_names"] = []
    for layer in layers:
        fill(parent[KERAS_LAYER[layer]], [layer])


def fill(group, layers):
    arrays = [(layer, kind, values) for wanted in layers for layer, kind, values in ARRAYS if layer == wanted]
    group.attrs["weight_names"] = [f"{KERAS_LAYER[layer]}/{KERAS_WEIGHT[kind]}".encode() for layer, kind, _ in arrays]
    for layer, kind, values in arrays:
        if kind == "kernel":
            values = values.transpose(2, 3, 1, 0)
        group.create_dataset(f"{KERAS_LAYER[layer]}/{KERAS_WEIGHT[kind]}", data=values)


with h5py.File(HERE / "keras.h5", "w") as file:  # model.save_weights
    keras_group(file, ["output", "norm", "conv"])
with h5py.File(HERE / "keras_model.h5", "w") as file:  # model.save of a multi-GPU model, with a list of names that is cut in two
    weights = file.create_group("model_weights")
    weights.attrs["layer_names0"] = [b"input_1", b"lambda_1", b"lambda_2"]
    weights.attrs["layer_names1"] = [b"model_1", b"concatenate_1"]
    for layer in ["input_1", "lambda_1", "lambda_2", "model_1", "concatenate_1"]:
        weights.create_group(layer).attrs["weight_names"] = []
    fill(weights["model_1"], ["output", "norm", "conv"])
with h5py.File(HERE / "no_keras.h5", "w") as file:
    file["images"] = numpy.zeros(3, numpy.uint8)

state = OrderedDict()
for layer, kind, values in ARRAYS:
    state[f"module.{TORCH_LAYER[layer]}.{TORCH_TENSOR[kind]}"] = torch.from_numpy(values)
    if kind == "variance":
        state["module.blocks.9.bn.num_batches_tracked"] = torch.tensor(7)
plain = {name.removeprefix("module."): tensor for name, tensor in state.items()}
torch.save(state, HERE / "pytorch.pt")
everything = torch.cat([tensor.flatten() for name, tensor in plain.items() if tensor.is_floating_point()])
views, begin = {}, 0
for name, tensor in plain.items():  # all of one storage, kernels in channels_last, in a training's checkpoint
    if not tensor.is_floating_point():
        continue
    views[name] = torch.nn.Parameter(everything[begin : begin + tensor.numel()].view(tensor.shape))
    begin += tensor.numel()
views["blocks.9.conv.weight"] = plain["blocks.9.conv.weight"].contiguous(memory_format=torch.channels_last)
views["blocks.10.conv.bias"] = plain["blocks.10.conv.bias"].half()
views["blocks.9.bn.weight"] = plain["blocks.9.bn.weight"].double()
views["blocks.9.bn.bias"] = plain["blocks.9.bn.bias"].bfloat16().float().bfloat16()
torch.save({"epoch": 3, "loss": 0.5, "optimiser": {"state": {}, "lr": [1e-3]}, "model_state_dict": views}, HERE / "pytorch_checkpoint.pt")
torch.save(torch.nn.Conv2d(1, 1, 1), HERE / "pytorch_object.pt")
torch.save(state, HERE / "pytorch_old.pt", _use_new_zipfile_serialization=False)
save_file({name: tensor.clone() for name, tensor in plain.items()}, HERE / "pytorch.safetensors")
