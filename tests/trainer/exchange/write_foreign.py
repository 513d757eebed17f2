"""Writes a yolov3-tiny of 3 classes as other programs do, and what PyTorch computes with it. Exit 77: a package is not there.

FOLDER gets tiny.weights, backbone.weights (the first 7 convolutions), keras.h5, wrapped.h5, whole.h5 (a whole model, whose configuration says
another epsilon), sloped.h5 (with another slope), state.pt, biased.pt (convolutions with a bias before their norms, which changes nothing else),
averaged.pt (its weights are the EMA, beside others), state.safetensors and expected.safetensors: images, and per format raw.<format>.<i> of the output at stride 32 (i = 0) and 16, computed with the epsilon that the
format's programs add to a norm's variance.
"""
import json
import pathlib
import struct
import sys
from collections import OrderedDict

# LibTorch's wheel is a Python package as well; the tests' own packages come first.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / ".deps/torch"))
try:
    import h5py
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors.torch import save_file
except ImportError as missing:
    print(missing)
    sys.exit(77)

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(1)
CLASSES, SIDE = 3, 64
OUTPUT = 3 * (5 + CLASSES)
# yolov3-tiny.cfg (github.com/pjreddie/darknet): the convolutions in its order, as (in, out, kernel, norm).
CONVOLUTIONS = [(3, 16, 3, True), (16, 32, 3, True), (32, 64, 3, True), (64, 128, 3, True), (128, 256, 3, True), (256, 512, 3, True),
                (512, 1024, 3, True), (1024, 256, 1, True), (256, 512, 3, True), (512, OUTPUT, 1, False), (256, 128, 1, True),
                (384, 256, 3, True), (256, OUTPUT, 1, False)]
CFG_LAYER = [0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 18, 21, 22]  # their sections' numbers, which PyTorch programs put in names

layers = []
for inputs, outputs, kernel, norm in CONVOLUTIONS:
    layer = {"kernel": torch.randn(outputs, inputs, kernel, kernel) * (2 / (inputs * kernel * kernel)) ** 0.5}
    if norm:
        layer |= {"gamma": torch.rand(outputs) + 0.5, "beta": torch.rand(outputs) - 0.5, "mean": torch.rand(outputs) - 0.5,
                  "variance": torch.rand(outputs) + 0.01}
    else:
        layer["bias"] = torch.rand(outputs) - 0.5
    layers.append(layer)


def forward(x, epsilon):
    def conv(i, x):
        layer = {name: tensor.double() for name, tensor in layers[i].items()}
        x = F.conv2d(x, layer["kernel"], padding=layer["kernel"].shape[-1] // 2)
        if "bias" in layer:
            return x + layer["bias"].view(1, -1, 1, 1)
        view = lambda name: layer[name].view(1, -1, 1, 1)
        return F.leaky_relu((x - view("mean")) / torch.sqrt(view("variance") + epsilon) * view("gamma") + view("beta"), 0.1)

    for i in range(5):
        x = conv(i, x if i == 0 else F.max_pool2d(x, 2))
    route = x
    x = conv(5, F.max_pool2d(x, 2))
    x = F.max_pool2d(F.pad(x, (0, 1, 0, 1), value=-torch.inf), 2, 1)
    shared = conv(7, conv(6, x))
    coarse = conv(9, conv(8, shared))
    up = F.interpolate(conv(10, shared), scale_factor=2)
    return coarse, conv(12, conv(11, torch.cat([up, route], 1)))


def write_darknet(name, some):
    with open(folder / name, "wb") as file:
        file.write(struct.pack("<iiiq", 0, 2, 0, 32013312))
        for layer in some:
            for part in ["beta", "gamma", "mean", "variance"] if "gamma" in layer else ["bias"]:
                file.write(struct.pack(f"<{layer[part].numel()}f", *layer[part].tolist()))
            file.write(layer["kernel"].numpy().astype("<f4").tobytes())


def keras_layers():
    """keras-yolo3 counts convolutions and norms as it makes them; its lists go by depth, so the deepest come in another order."""
    convolution = norm = 0
    for layer in layers:
        convolution += 1
        kernel = layer["kernel"].permute(2, 3, 1, 0).numpy()
        yield f"conv2d_{convolution}", [("kernel:0", kernel)] + ([("bias:0", layer["bias"].numpy())] if "bias" in layer else [])
        if "gamma" not in layer:
            continue
        norm += 1
        names = {"gamma": "gamma:0", "beta": "beta:0", "mean": "moving_mean:0", "variance": "moving_variance:0"}
        yield f"batch_normalization_{norm}", [(keras, layer[own].numpy()) for own, keras in names.items()]


def write_keras(name, wrapped):
    by_depth = sorted(keras_layers(), key=lambda named: (named[0].split("_")[-1] in "1 9 10", named[0]))
    with h5py.File(folder / name, "w") as file:
        names = ["input_1", "lambda_1", "model_1"] if wrapped else ["input_1"] + [layer for layer, _ in by_depth]
        file.attrs["layer_names"] = [layer.encode() for layer in names]
        for layer in names:
            file.create_group(layer).attrs["weight_names"] = []
        groups = [("model_1", by_depth)] if wrapped else [(layer, [(layer, arrays)]) for layer, arrays in by_depth]
        for group, held in groups:
            file[group].attrs["weight_names"] = [f"{layer}/{part}".encode() for layer, arrays in held for part, _ in arrays]
            for layer, arrays in held:
                for part, values in arrays:
                    file[group].create_dataset(f"{layer}/{part}", data=values)


def layer(kind, name, **settings):
    return {"class_name": kind, "config": {"name": name, **settings}}


def write_whole_keras(name, *of_layers):
    write_keras(name, False)
    with h5py.File(folder / name, "a") as file:
        held = {key: file[key] for key in list(file)}
        file.create_group("model_weights")
        for key in held:
            file.move(key, f"model_weights/{key}")
        file["model_weights"].attrs["layer_names"] = file.attrs["layer_names"]
        del file.attrs["layer_names"]
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": {"layers": of_layers}})


def biased_state_dict():
    """A bias before a norm moves the mean that the norm takes off again."""
    state = OrderedDict()
    for name, tensor in state_dict().items():
        state[name] = tensor
        norm = name.replace("conv_", "batch_norm_").replace(".weight", ".running_mean")
        if ".conv_" in name and name.endswith(".weight") and norm in state_dict():
            state[name.replace(".weight", ".bias")] = 3 * torch.rand(len(tensor)) - 1.5
    for name in list(state):
        if name.endswith("running_mean"):
            bias = state[name.replace("batch_norm_", "conv_").replace(".running_mean", ".bias")]
            state[name] = state[name] + bias
    return state


def state_dict():
    state = OrderedDict()
    for number, layer in zip(CFG_LAYER, layers):
        state[f"module_list.{number}.conv_{number}.weight"] = layer["kernel"]
        if "bias" in layer:
            state[f"module_list.{number}.conv_{number}.bias"] = layer["bias"]
            continue
        for own, name in {"gamma": "weight", "beta": "bias", "mean": "running_mean", "variance": "running_var"}.items():
            state[f"module_list.{number}.batch_norm_{number}.{name}"] = layer[own]
        state[f"module_list.{number}.batch_norm_{number}.num_batches_tracked"] = torch.tensor(5)
    return state


write_darknet("tiny.weights", layers)
write_darknet("backbone.weights", layers[:7])
write_keras("keras.h5", False)
write_keras("wrapped.h5", True)
torch.save({"module." + name: tensor for name, tensor in state_dict().items()}, folder / "state.pt")
torch.save(biased_state_dict(), folder / "biased.pt")
torch.save({"epoch": 3, "model": {name: 2 * tensor for name, tensor in state_dict().items()},
            "ema": {"decay": torch.tensor(0.999), "module": state_dict(), "updates": 7}}, folder / "averaged.pt")
torch.save({"ema": {"decay": torch.tensor(0.999)}, "state_dict": state_dict()}, folder / "settings.pt")
write_whole_keras("whole.h5", layer("BatchNormalization", "bn", epsilon=1e-5), layer("LeakyReLU", "leaky_re_lu", alpha=0.10000000149011612),
                  layer("ReLU", "re_lu", negative_slope=0.1, max_value=None, threshold=0.0), layer("Conv2D", "conv2d_13", activation="linear"))
write_whole_keras("sloped.h5", layer("LeakyReLU", "leaky_re_lu", alpha=0.3))
write_whole_keras("function.h5", layer("Conv2D", "conv2d_1", activation="leaky_relu"))
write_whole_keras("mish.h5", layer("Activation", "activation_1", activation={"class_name": "function", "config": "mish", "registered_name": "mish"}))
write_whole_keras("epsilons.h5", layer("BatchNormalization", "bn_1", epsilon=1e-5), layer("BatchNormalization", "bn_2", epsilon=1e-3))
save_file(state_dict(), folder / "state.safetensors")
images = torch.rand(2, 3, SIDE, SIDE)
expected = {"images": images}
with torch.no_grad():
    for name, epsilon in {"darknet": 1e-6, "keras": 1e-3, "pytorch": 1e-5, "safetensors": 1e-5}.items():
        for i, output in enumerate(forward(images.double(), epsilon)):
            expected[f"raw.{name}.{i}"] = output.float().contiguous()
save_file(expected, folder / "expected.safetensors")
