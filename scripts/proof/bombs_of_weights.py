"""Weight files that claim or unpack to far more than they are: {name: function of a Bomb that returns a command}."""
import io
import json
import struct
import zipfile

from bombs_of_archives import zipped


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def pickled(*operations):
    """Protocol 2, in PyTorch's old file: its magic number comes first in an honest one."""
    return b"\x80\x02" + b"".join(operations) + b"."


def pytorch(pickle, data=b""):
    return zipped([("archive/data.pkl", pickle), ("archive/data/0", data), ("archive/version", b"3\n")])


def hdf5(shape, chunks):
    import h5py

    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file.create_dataset("layers/conv/vars/0", shape=shape, chunks=chunks, compression="gzip", dtype="f4")
    return out.getvalue()


def claim(n):
    return {"w": {"dtype": "F32", "shape": n, "data_offsets": [0, 16]}}


WEIGHTS = {  # name of the file, content
    "safetensors: a header of 2^60 bytes": lambda: ("w.safetensors", struct.pack("<Q", 1 << 60) + b"{}"),
    "safetensors: 10 MB of {": lambda: ("w.safetensors", safetensors(b'{"a":' * 2_000_000)),
    "safetensors: a tensor of 2^62 numbers": lambda: ("w.safetensors", safetensors(claim([1 << 31, 1 << 31]), bytes(16))),
    "safetensors: 100,000 dimensions": lambda: ("w.safetensors", safetensors(claim([1] * 100_000), bytes(16))),
    "safetensors: 100,000 tensors of the same bytes": lambda: ("w.safetensors", safetensors(
        {f"w{at}": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]} for at in range(100_000)}, bytes(16))),
    "pickle: a tuple of tuples, 2^60 of them": lambda: ("w.pt", pytorch(pickled(b")", b"2\x86" * 60))),
    "pickle: a number of 2^31 - 1 bytes": lambda: ("w.pt", pytorch(pickled(b"\x8b" + struct.pack("<i", 2**31 - 1) + b"x"))),
    "pickle: 2 million marks": lambda: ("w.pt", pytorch(pickled(b"(" * 2_000_000))),
    "pickle: 2 million lists in each other": lambda: ("w.pt", pytorch(pickled(b"]" * 2_000_000 + b"a" * 1_999_999))),
    "pickle: a memo of 1.5 million places": lambda: ("w.pt", pytorch(pickled(b"N" + b"".join(b"r" + struct.pack("<I", at) for at in range(1_500_000))))),
    "pt: a tensor of 1 GB of zeros": lambda: ("w.pt", pytorch(pickled(b"}"), bytes(1 << 30))),
    "keras: a dataset of 2^50 numbers": lambda: ("w.weights.h5", hdf5((1 << 25, 1 << 25), (1, 1 << 20))),
    "keras: a dataset of 2^28 numbers in one chunk": lambda: ("w.weights.h5", hdf5((1 << 28, 1), (1 << 28, 1))),
    "darknet: a header alone": lambda: ("w.weights", struct.pack("<iiiq", 0, 2, 0, 1 << 60)),
}


def command(bomb, path):
    return [bomb.flags.bin / "letterpress-trainer", "import", "--weights", path, "--model", "yolov8n", "--out", bomb.folder / "out.safetensors", "--classes",
            bomb.write("classes.txt", "a\n")]


def nothing(bomb):
    """A file that is whole and holds no weights: it is read, and no model loads it."""
    return command(bomb, bomb.write("w.safetensors", safetensors({}, b"")))


def command_of(make):
    def prepare(bomb):
        name, content = make()
        return command(bomb, bomb.write(name, content))

    return prepare


ALL = {name: command_of(make) for name, make in WEIGHTS.items()}
