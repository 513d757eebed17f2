"""Writes the pictures and expected pixels of tests/preprocess/pictures. Needs numpy, Pillow and cjpeg; run in this folder.

Expected pixels (*.rgb, uint8 [height, width, 3]) are Pillow's: Image.convert("RGB") after ImageOps.exif_transpose. What the pictures of 16
bits become is counted by hand, in the tests.
"""
import io
import os
import struct
import subprocess
import zlib

import numpy
from PIL import Image, ImageChops, ImageFile, ImageOps

WIDTH, HEIGHT = 48, 32


def drawing(width, height):
    """Smooth colours with two hard shapes: no axis of symmetry, so that every turn shows."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    picture = numpy.stack([255 * x / width, 255 * y / height, 128 + 100 * numpy.sin(x / 5 + y / 7)], axis=2)
    picture[height // 4 : height // 2, width // 8 : width // 3] = (250, 30, 40)
    picture[-height // 4 :, -width // 5 :] = (20, 220, 60)
    return Image.fromarray(picture.round().astype(numpy.uint8))


def write_expected(name, picture):
    with open(name + ".rgb", "wb") as file:
        file.write(numpy.asarray(picture.convert("RGB")).tobytes())


def save(name, picture, **options):
    picture.save(name, **options)
    write_expected(name, ImageOps.exif_transpose(Image.open(name)))


def adobe_marker(jpeg):
    """First byte and length of the APP14 segment that Pillow writes into CMYK files."""
    at = jpeg.index(b"\xff\xee\x00\x0eAdobe")
    return at, 16


def write_cmyk_without_marker(name, picture):
    """Inks as they are, 0 is none: Pillow inverts what it writes and what it reads, as Adobe does, so both are taken back."""
    ImageChops.invert(picture).save(name, quality=90, subsampling=0)
    jpeg = open(name, "rb").read()
    at, length = adobe_marker(jpeg)
    with open(name, "wb") as file:
        file.write(jpeg[:at] + jpeg[at + length :])
    write_expected(name, ImageChops.invert(Image.open(name)))


def write_ycck(name, picture):
    """Adobe's YCCK: luma and chroma of the inks C, M, Y, with K inverted. Pillow writes the four planes, which the marker then calls YCCK."""
    *inks, black = picture.split()
    planes = Image.merge("RGB", inks).convert("YCbCr").split()
    Image.merge("CMYK", [*map(ImageChops.invert, planes), black]).save(name, quality=90, subsampling=0)
    jpeg = bytearray(open(name, "rb").read())
    at, length = adobe_marker(jpeg)
    jpeg[at + length - 1] = 2  # the transform: 0 none, 2 YCCK
    with open(name, "wb") as file:
        file.write(jpeg)
    write_expected(name, Image.open(name))


def write_deep_png(name, levels):
    """PNG 1.2 with 16 bits per channel, which Pillow writes in grey only. levels: uint16 [height, width, 3 or 4]."""
    height, width, channels = levels.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in levels)
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2 if channels == 3 else 6, 0, 0, 0)),
                           (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))


def write_deep_tiff(name, levels):
    """TIFF 6.0, little-endian, one uncompressed strip of 16-bit RGB, which Pillow does not write. levels: uint16 [height, width, 3]."""
    height, width, channels = levels.shape
    pixels = levels.astype("<u2").tobytes()
    short, long = 3, 4
    entries = [(256, short, 1, width), (257, short, 1, height), (258, short, 3, 8 + len(pixels)), (259, short, 1, 1), (262, short, 1, 2),
               (273, long, 1, 8), (277, short, 1, channels), (278, short, 1, height), (279, long, 1, len(pixels)), (284, short, 1, 1)]
    bits = struct.pack("<3H", 16, 16, 16)
    with open(name, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, 8 + len(pixels) + len(bits)) + pixels + bits)
        file.write(struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + struct.pack("<I", 0))


photo = drawing(WIDTH, HEIGHT)
alpha = photo.copy()
alpha.putalpha(Image.fromarray(numpy.tile(numpy.linspace(0, 255, WIDTH).astype(numpy.uint8), (HEIGHT, 1))))
save("photo.jpg", photo, quality=90)
save("progressive.jpg", photo, quality=90, progressive=True)
save("grey.jpg", photo.convert("L"), quality=90)
save("cmyk.jpg", photo.convert("CMYK"), quality=90, subsampling=0)
inks = photo.convert("CMYK")
inks.putdata([(c // 2, m // 2, y // 2, (c + m + y) // 6) for c, m, y, _ in inks.getdata()])  # Pillow's own conversion leaves K empty
write_cmyk_without_marker("cmyk_plain.jpg", inks)
write_ycck("ycck.jpg", inks)
save("rgb.png", photo)
save("rgba.png", alpha)
save("palette.png", photo.quantize(32))
save("bilevel.png", photo.convert("1"))
save("photo.bmp", photo)
save("photo.tiff", photo)
save("photo.webp", photo, lossless=True)
Image.fromarray(numpy.arange(64, dtype=numpy.uint16).reshape(8, 8) * 1000).save("deep.png")
colours = numpy.array([[(0, 1000, 3000), (255, 256, 4095)], [(4096, 32768, 65535), (100, 200, 300)]], numpy.uint16)
write_deep_png("deep_rgb.png", colours)
write_deep_tiff("deep_rgb.tiff", colours)
# The levels of alpha are no levels of the picture.
write_deep_png("deep_rgba.png", numpy.array([[(1000, 1500, 2000, 0), (3000, 2500, 2000, 65535)]], numpy.uint16))
Image.fromarray(numpy.arange(64, dtype=numpy.uint16).reshape(8, 8) * 1000).save("deep.tiff")

# One file; the tests write 1..8 over its orientation. Pillow says what each must look like.
odd = drawing(25, 18)
exif = Image.Exif()
turned = b""
for orientation in range(1, 9):
    exif[0x0112] = orientation
    odd.save("exif.jpg", quality=95, subsampling=0, exif=exif)
    turned += numpy.asarray(ImageOps.exif_transpose(Image.open("exif.jpg"))).tobytes()
with open("exif.jpg.rgb", "wb") as file:
    file.write(turned)
odd.save("exif.png", exif=exif)
odd.save("exif.webp", lossless=True, exif=exif)
odd.save("exif.tiff", tiffinfo={0x0112: 8})
odd.save("two_pages.tiff", save_all=True, append_images=[odd.rotate(180)], compression="tiff_lzw")
turned = b""
for orientation in range(1, 9):
    exif[0x0112] = orientation
    odd.save("turned.png", exif=exif)
    turned += numpy.asarray(ImageOps.exif_transpose(Image.open("turned.png"))).tobytes()
os.remove("turned.png")
with open("exif_lossless.rgb", "wb") as file:  # of exif.png, exif.webp and exif.tiff
    file.write(turned)

# libjpeg's DCT scaling by a half, as Pillow's draft mode has it.
half = Image.open("photo.jpg")
half.draft("RGB", (WIDTH // 2, HEIGHT // 2))
write_expected("photo_half.jpg", half)

# Chroma sampling that only libjpeg-turbo's cjpeg writes.
Image.open("photo.jpg").save("photo.ppm")
for sampling in ("3x1", "4x2", "2x1,1x2", "1x1,2x1"):
    name = "sampled_" + sampling.replace(",", "_") + ".jpg"
    subprocess.run(["cjpeg", "-sample", sampling, "-quality", "90", "-outfile", name, "photo.ppm"], check=True)
    write_expected(name, Image.open(name))
os.remove("photo.ppm")

# What Pillow makes of JPEGs that end after nine tenths of their bytes, one after the other.
ImageFile.LOAD_TRUNCATED_IMAGES = True
with open("truncated.rgb", "wb") as file:
    for name in ("photo.jpg", "grey.jpg"):
        jpeg = open(name, "rb").read()
        file.write(numpy.asarray(Image.open(io.BytesIO(jpeg[: len(jpeg) * 9 // 10])).convert("RGB")).tobytes())
