"""Archives that unpack to far more than they are: {name: function of a Bomb that returns a command}."""
import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile

from bombs_of_pictures import zeros

CLASSES = ("classes.txt", b"a\n")


def lines(n):
    return b"\n" * n


def zipped(members, level=9):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def nested(depth):
    content = zipped([("train.txt", b"x.jpg 1,1,2,2,0\n"), CLASSES])
    for _ in range(depth):
        content = zipped([("inner.zip", content)])
    return content


def overlapping(n):
    """A central folder whose n entries are one member (Fifield, WOOT 2019, the simple form)."""
    data = bytearray(zipped([("labels.json", b"[" * (100 << 20))]))
    end = data.rindex(b"PK\5\6")
    size, start = struct.unpack_from("<II", data, end + 12)
    entry = bytes(data[start:start + size])
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, n, n, size * n, start)
    return bytes(data[:start]) + entry * n + bytes(tail)


def tarred(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def tar_of_claim(size):
    info = tarfile.TarInfo("train.txt")
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


def tar_with_long_name(n):
    """A member whose name is n bytes, as GNU tar writes long ones."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, n
    return info.tobuf(tarfile.GNU_FORMAT) + b"a" * n + bytes(-n % 512) + tarfile.TarInfo("x").tobuf() + bytes(1024)


def deep(depth):
    return [("/".join(["d"] * depth) + "/train.txt", b"x.jpg 1,1,2,2,0\n"), CLASSES]


def gzip_of_zeros(n):
    """A gzip member of a deflated stream."""
    return gzip.compress(b"")[:10] + zeros(n)[2:-4] + struct.pack("<II", 0, n & 0xFFFFFFFF)


ARCHIVES = {
    "zip: a list of 255 MB": lambda: ("z.zip", zipped([("train.txt", lines(255 << 20)), CLASSES]), CLASSES[0]),
    "zip: 20 JSON files of 200 MB": lambda: ("z.zip", zipped([(f"l{at}.json", b"[" * (200 << 20)) for at in range(20)])),
    "zip: 60,000 empty members": lambda: ("z.zip", zipped([(f"m{at}.txt", b"") for at in range(60_000)])),
    "zip: 40 archives in each other": lambda: ("z.zip", nested(40)),
    "zip: 5,000 names of one member": lambda: ("z.zip", overlapping(5000)),
    "zip: folders 2,000 deep": lambda: ("z.zip", zipped(deep(2000)), CLASSES[0]),
    "zip: a picture of 500 MB of zeros": lambda: ("z.zip", zipped([("train.txt", b"a.png 1,1,2,2,0\n"), CLASSES, ("a.png", bytes(500 << 20))]), CLASSES[0]),
    "tar: a member of 2^40 bytes": lambda: ("t.tar", tar_of_claim(1 << 40)),
    "tar: a name of 9 MB": lambda: ("t.tar", tar_with_long_name(9_000_000)),
    "tar: 10,000 empty members": lambda: ("t.tar", tarred([(f"m{at}.txt", b"") for at in range(10_000)])),
    "tar.gz: a list of 255 MB": lambda: ("t.tar.gz", gzip.compress(tarred([("train.txt", lines(255 << 20)), CLASSES])), CLASSES[0]),
    "tar.gz: 4 GB of zeros": lambda: ("t.tar.gz", gzip_of_zeros(4 << 30)),
    "tar.bz2: a list of 255 MB": lambda: ("t.tar.bz2", bz2.compress(tarred([("train.txt", lines(255 << 20)), CLASSES])), CLASSES[0]),
    "tar.xz: a list of 255 MB": lambda: ("t.tar.xz", lzma.compress(tarred([("train.txt", lines(255 << 20)), CLASSES]), preset=0), CLASSES[0]),
}


def build_of(bomb, name, content, *classes):
    """A build of this archive; `classes`: the list of them in it, which a keras list needs."""
    path = bomb.write(name, content)
    return bomb.preprocess("--input", path, *(word for inside in classes for word in ("--classes", path / inside)))


def command_of(make):
    def prepare(bomb):
        return build_of(bomb, *make())

    return prepare


ALL = {name: command_of(make) for name, make in ARCHIVES.items()}
