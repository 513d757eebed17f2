"""Writes a yolo11n of 3 classes as Ultralytics' programs save theirs, and what PyTorch computes with it, as write_yolov8.py does; in refused/
what differs where only its modules show it. Exit 77: a package is not there.
"""
import copy
import pathlib
import sys

from ultralytics_layouts import network, nn, save_variants, torch, yolo11n

folder = pathlib.Path(sys.argv[1])
refused = folder / "refused"
refused.mkdir()
torch.manual_seed(2)
net = network(layout=yolo11n)
save_variants(folder, net, network(layout=yolo11n))
many = network(80, {i: f"class {i}" for i in range(80)}, yolo11n)  # wider than the pyramid's finest level
torch.save({"model": copy.deepcopy(many).half()}, refused.parent / "many.pt")


def save_refused(name, change):
    changed = copy.deepcopy(net)
    change(changed)
    torch.save({"model": changed}, refused / name)


save_refused("heads.pt", lambda net: setattr(net.model[10].m[0].attn, "num_heads", 4))
save_refused("plain.pt", lambda net: setattr(net.model[10].m[0], "add", False))
save_refused("active.pt", lambda net: setattr(net.model[10].m[0].attn.proj, "act", nn.SiLU()))
save_refused("nested.pt", lambda net: setattr(net.model[6].m[0].m[1], "add", False))
save_refused("groups.pt", lambda net: setattr(net.model[23].cv3[0][0][0].conv, "groups", 1))
