"""Pictures that claim more than they hold, or unpack to far more: {name: function of a Bomb that returns a command}."""
import io
import struct
import zlib

HUGE = 60_000


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, data=b"", before=b"", interlaced=0):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + head + before + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def zeros(n):
    """n zeros, deflated piece by piece."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(n >> 20)] + [packer.compress(bytes(n & 0xFFFFF)), packer.flush()]
    return b"".join(parts)


def honest_png(before=b""):
    return png(8, 8, zlib.compress(bytes(8 * 25)), before)


def jpeg(progressive=False, side=64):
    from PIL import Image

    out = io.BytesIO()
    Image.effect_noise((side, side), 40).convert("RGB").save(out, "JPEG", progressive=progressive, quality=60)
    return out.getvalue()


def jpeg_of_size(width, height):
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0") + 5
    data[at:at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def segments(marker, body, n):
    return (b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body) * n


def with_segments(extra):
    data = jpeg()
    return data[:2] + extra + data[2:]


def many_scans(n):
    """A progressive picture whose last scan comes n times more."""
    data = jpeg(progressive=True, side=512)
    last = data.rindex(b"\xff\xda")
    return data[:-2] + data[last:-2] * n + data[-2:]


def ifd(entries, order="<", following=0):
    body = struct.pack(order + "H", len(entries))
    for tag, kind, count, value in entries:
        body += struct.pack(order + "HHII", tag, kind, count, value)
    return body + struct.pack(order + "I", following)


def tiff(width, height, compression, data, more=(), following=0, count=None):
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, compression), (262, 3, 1, 1), (273, 4, 1, 8),
               (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, len(data) if count is None else count), *more]
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + ifd(sorted(entries), following=following)


def exif(body):
    return with_segments(segments(0xE1, b"Exif\0\0" + body, 1))


def riff(*chunks):
    body = b"WEBP" + b"".join(kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp(width, height):
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (width, height), (9, 9, 9)).save(out, "WEBP", lossless=True, quality=0, method=0)
    return out.getvalue()


def bmp(width, height, compression, data):
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, compression, len(data), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 14 + 40 + 1024 + len(data), 0, 0, 14 + 40 + 1024) + head + bytes(1024) + data


def packbits(n):
    return b"\x81\0" * (n // 128)


def loop_of_ifds():
    return b"II*\0" + struct.pack("<I", 8) + ifd([(256, 4, 1, 8), (257, 4, 1, 8)], following=8)


PICTURES = {
    "png: 60,000 pixels square": lambda: ("png", png(HUGE, HUGE, zeros(1 << 24))),
    "png: 60,000 pixels square, interlaced": lambda: ("png", png(HUGE, HUGE, zeros(1 << 20), interlaced=1)),
    "png: 9,999 pixels square of zeros": lambda: ("png", png(9999, 9999, zeros(9999 * 29998))),
    "png: 2^31 - 1 pixels wide": lambda: ("png", png(2**31 - 1, 1, zeros(1 << 20))),
    "png: data for a million times its pixels": lambda: ("png", png(8, 8, zeros(200 << 20))),
    "png: a profile of 200 MiB": lambda: ("png", honest_png(chunk(b"iCCP", b"x\0\0" + zeros(200 << 20)))),
    "png: 20 texts of 200 MiB": lambda: ("png", honest_png(chunk(b"zTXt", b"x\0\0" + zeros(200 << 20)) * 20)),
    "png: 500,000 texts": lambda: ("png", honest_png(chunk(b"tEXt", b"a\0b") * 500_000)),
    "png: eXIf that points at itself": lambda: ("png", honest_png(chunk(b"eXIf", loop_of_ifds()))),
    "jpeg: 65,500 pixels square": lambda: ("jpg", jpeg_of_size(65500, 65500)),
    "jpeg: no height": lambda: ("jpg", jpeg_of_size(64, 0)),
    "jpeg: 500 scans more": lambda: ("jpg", many_scans(500)),
    "jpeg: 9 MB of comments": lambda: ("jpg", with_segments(segments(0xFE, b"x" * 65_000, 140))),
    "jpeg: 200,000 empty segments": lambda: ("jpg", with_segments(segments(0xE5, b"", 200_000))),
    "jpeg: EXIF that points at itself": lambda: ("jpg", exif(loop_of_ifds())),
    "jpeg: EXIF of 2^32 - 1 values": lambda: ("jpg", exif(b"II*\0" + struct.pack("<I", 8) + ifd([(0x112, 3, 2**32 - 1, 0)]))),
    "jpeg: 99 of 255 profiles": lambda: ("jpg", with_segments(b"".join(
        segments(0xE2, b"ICC_PROFILE\0" + bytes([at, 255]) + b"x" * 60_000, 1) for at in range(1, 100)))),
    "tiff: 2^31 pixels square": lambda: ("tif", tiff(2**31, 2**31, 1, b"x")),
    "tiff: deflate, 30,000 pixels square": lambda: ("tif", tiff(30_000, 30_000, 8, zeros(900_000_000))),
    "tiff: packbits, 9,000 pixels square": lambda: ("tif", tiff(9000, 9000, 32773, packbits(81_000_000))),
    "tiff: folders in a loop": lambda: ("tif", loop_of_ifds()),
    "tiff: 65,009 tags": lambda: ("tif", tiff(8, 8, 1, bytes(64), more=[(40_000 + at % 20_000, 4, 1, 0) for at in range(65_000)])),
    "tiff: a strip of 2^32 - 1 bytes": lambda: ("tif", tiff(8, 8, 1, bytes(64), count=2**32 - 1)),
    "tiff: a tag of 2^32 - 1 doubles": lambda: ("tif", tiff(8, 8, 1, bytes(64), more=[(34_000, 12, 2**32 - 1, 8)])),
    "webp: a canvas of 2^24 pixels square": lambda: ("webp", riff((b"VP8X", b"\x02\0\0\0" + b"\xff" * 6), (b"VP8L", b"\x2f" + b"\xff" * 8))),
    "webp: 8,192 pixels square of one colour": lambda: ("webp", webp(8192, 8192)),
    "webp: 100,000 empty frames": lambda: ("webp", riff((b"VP8X", b"\x02\0\0\0" + b"\x07\0\0" * 2), (b"ANIM", bytes(6)), *[(b"ANMF", bytes(16))] * 100_000)),
    "bmp: 2^31 - 1 pixels square": lambda: ("bmp", bmp(2**31 - 1, 2**31 - 1, 0, b"x")),
    "bmp: RLE, 30,000 pixels square": lambda: ("bmp", bmp(30_000, 30_000, 1, b"\xff\0" * 100_000)),
    "bmp: the least height": lambda: ("bmp", bmp(64, -(2**31), 0, bytes(4096))),
}


def command_of(make):
    def prepare(bomb):
        ending, content = make()
        return bomb.of_picture(f"bomb.{ending}", content)

    return prepare


ALL = {name: command_of(make) for name, make in PICTURES.items()}
