"""Writes the pictures and expected pixels of tests/preprocess/pictures. Needs numpy and Pillow; run in this folder.

Expected pixels (*.rgb, uint8 [height, width, 3]) are Pillow's: Image.convert("RGB") after ImageOps.exif_transpose.
"""
import numpy
from PIL import Image, ImageOps

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


photo = drawing(WIDTH, HEIGHT)
alpha = photo.copy()
alpha.putalpha(Image.fromarray(numpy.tile(numpy.linspace(0, 255, WIDTH).astype(numpy.uint8), (HEIGHT, 1))))
save("photo.jpg", photo, quality=90)
save("progressive.jpg", photo, quality=90, progressive=True)
save("grey.jpg", photo.convert("L"), quality=90)
save("cmyk.jpg", photo.convert("CMYK"), quality=90, subsampling=0)
save("rgb.png", photo)
save("rgba.png", alpha)
save("palette.png", photo.quantize(32))
save("bilevel.png", photo.convert("1"))
save("photo.bmp", photo)
save("photo.tiff", photo)
save("photo.webp", photo, lossless=True)
Image.fromarray(numpy.arange(64, dtype=numpy.uint16).reshape(8, 8) * 1000).save("deep.png")

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

# libjpeg's DCT scaling by a half, as Pillow's draft mode has it.
half = Image.open("photo.jpg")
half.draft("RGB", (WIDTH // 2, HEIGHT // 2))
write_expected("photo_half.jpg", half)
