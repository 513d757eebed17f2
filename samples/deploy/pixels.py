"""What a model sees of a picture file: numpy and Pillow make the bytes that `build` stores as a clean row and that `letterpress-predict` gives
to the network. docs/reference/pixels.md says the same in words.

    frame, scale, offset, size = make_frame("a.jpg", 416, rule)     # rule: "letterbox" of an exported file's metadata
    make_frame("deep.png", 416, rule, "12")                         # 16 bits per channel: --depth of the store

Of a picture with 16 bits per channel Pillow keeps 8, so OpenCV reads those.
"""
import io
import pathlib

import numpy as np
from PIL import Image, ImageOps, JpegImagePlugin


def weights_of(scale, offset, size, side, resize):
    """The frame's lines (or columns) with their centres in the picture: the first, what part of the picture's they take, and how much of each line
    of that part, in 1/16384."""
    centre = (np.arange(side) + 0.5 - offset) / scale
    inside = np.flatnonzero((centre >= 0) & (centre < size))
    if not len(inside):  # a picture that is smaller than a pixel of the frame
        return 0, slice(0, 0), np.zeros((0, 0), np.int32)
    reach = 2 / min(1, scale) + 1
    part = slice(max(0, int(centre[inside[0]] - reach)), min(size, int(centre[inside[-1]] + reach)))
    x = abs(np.arange(size)[part] + 0.5 - centre[inside, None]) * (min(1, scale) if resize == "cubic" or 1 / scale > 1.5 else 1)
    near, far = ((1.5 * x - 2.5) * x * x + 1, ((x - 5) * x + 8) * x * -0.5 + 2) if resize == "cubic" else (1 - x, 0 * x)
    weight = np.where(x < 1, near, np.where(x < 2, far, 0))
    weight = np.floor(weight * (16384 / weight.sum(1, keepdims=True)) + 0.5).astype(np.int32)
    weight[np.arange(len(weight)), weight.argmax(1)] += 16384 - weight.sum(1)
    return inside[0], part, weight


def blend(lines, weight):
    """Levels less 128, in 1/128: [frame lines, ...]."""
    levels = (lines.reshape(len(lines), -1).astype(np.int32) - 128) << 8
    taken = [slice(row.nonzero()[0][0], row.nonzero()[0][-1] + 1) for row in weight]
    rows = [((levels[k] * row[k, None] + 16384) >> 15).sum(0) for k, row in zip(taken, weight)]
    return np.reshape(rows, (len(weight), *lines.shape[1:]))


def whole(blended):
    return np.clip((blended + 16384 + 64) >> 7, 0, 255)


def lines_of_jpeg(open_as, size, scale, offset, side, resize, halved):
    """The frame's lines of a JPEG that is decoded at whole size: blended as luma and chroma, which become RGB after that."""
    full = open_as("YCbCr", size)
    chroma = open_as("YCbCr", size // 2)[..., 1:] if halved else full[..., 1:]  # libjpeg's half: chroma as it is stored
    first, part, weight = weights_of(scale, offset, size[1], side, resize)
    down, chroma_part, chroma_weight = weights_of(scale * (1 + halved), offset, len(chroma), side, resize)
    chroma = (blend(chroma[chroma_part], chroma_weight[first - down:][:len(weight)]) + 16) >> 5
    if halved:  # enlarged across, 3 to 1
        wide = np.pad(chroma, ((0, 0), (1, 1), (0, 0)), "edge")
        pairs = (3 * chroma + wide[:, :-2] + 8) >> 4, (3 * chroma + wide[:, 2:] + 7) >> 4
        chroma = np.stack(pairs, 2).reshape(len(chroma), -1, 2)[:, :size[0]]
    else:
        chroma = (chroma + 2) >> 2
    luma, (cb, cr) = whole(blend(full[part, :, 0], weight)), np.moveaxis(chroma, 2, 0)
    red, green, blue = 91881 * cr, -22554 * cb - 46802 * cr, 116130 * cb
    return first, np.clip(luma[..., None] + ((np.stack([red, green, blue], 2) + 32768) >> 16), 0, 255)


def is_jpeg(picture):
    """Pillow calls those that hold further pictures MPO."""
    return picture.format in ("JPEG", "MPO")


def is_deep(picture, content):
    return content[24] == 16 if picture.format == "PNG" else picture.format == "TIFF" and 16 in picture.tag_v2.get(258, ())


def narrowed(content, depth):
    """16 bits per channel become 8: levels low to high become 0 to 255."""
    import cv2

    if depth not in ("8", "12", "16", "minmax"):
        raise ValueError(f"16 bits per channel need a depth, 8, 12, 16 or minmax; got {depth or 'none'}")
    levels = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    levels = np.repeat(levels[..., None], 3, 2) if levels.ndim == 2 else levels[..., 2::-1]
    low, high = (levels.min(), levels.max()) if depth == "minmax" else (0, 2 ** int(depth) - 1)
    span = max(int(high) - int(low), 1)
    return (((np.clip(levels, low, high).astype(np.int64) - low) * 255 + span // 2) // span).astype(np.uint8)


def rgb_of(picture, content, depth):
    """What is decoded whole, or by libjpeg at a smaller scale: upright, RGB."""
    if is_deep(picture, content):
        deep = Image.fromarray(narrowed(content, depth))
        if picture.format == "PNG":  # OpenCV turns TIFFs
            deep.getexif()[0x0112] = picture.getexif().get(0x0112, 1)
        return np.asarray(ImageOps.exif_transpose(deep))
    if picture.mode != "CMYK":
        return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))
    inks = np.asarray(ImageOps.exif_transpose(picture)).astype(int)  # of a JPEG Pillow inverts them, whether Adobe's marker says so or not
    inks = 255 - inks if "adobe" in picture.info or not is_jpeg(picture) else inks
    return ((inks[..., :3] * inks[..., 3:] + 127 * is_jpeg(picture)) // 255).astype(np.uint8)  # libtiff does not round


def opened(content):
    """The file's picture, its EXIF turn, and its size as displayed."""
    picture = Image.open(io.BytesIO(content))
    turned = picture.getexif().get(0x0112, 1)
    turned = turned if turned in range(1, 9) else 1
    # Pillow 11 and later turn TIFFs, and their size, themselves.
    stored = [picture.tag_v2[tag] for tag in (256, 257)] if picture.format == "TIFF" else picture.size
    return picture, turned, np.array(stored[::-1] if turned >= 5 else stored)


def eighths_of(picture, least):
    """libjpeg's smallest scale that is not below `least`."""
    return next((n for n in (1, 2, 4) if n >= 8 * least), 8) if is_jpeg(picture) else 8


def decode(content, least, depth=None):
    """The picture upright, decoded whole or at eighths_of(least): RGB, its scale, and where the picture's corner is in it."""
    picture, turned, size = opened(content)
    eighths = eighths_of(picture, least)
    if eighths < 8:
        picture.draft(None, tuple(max(1, n * eighths // 8) for n in picture.size))
    rgb = rgb_of(picture, content, depth)
    beyond = np.array(rgb.shape[1::-1]) - size * eighths / 8  # whole pixels are decoded, and the turn may put the rest first
    return rgb, eighths / 8, beyond * (turned in (2, 3, 6, 7), turned in (3, 4, 7, 8))


def draw(decoded, scale, offset, side, rule):
    """A frame of what decode() returned."""
    rgb, of_picture, corner = decoded
    step = scale / of_picture
    x, y = ((step[k], (offset - corner * step)[k], rgb.shape[1 - k], side, rule["resize"]) for k in (0, 1))
    first, part, weight = weights_of(*y)
    columns = weights_of(*x)
    if not len(weight) or not len(columns[2]):
        return np.full((side, side, 3), rule["fill"], np.uint8)
    return framed(first, whole(blend(rgb[part, columns[1]], weight)), columns, side, rule)


def framed(first, lines, columns, side, rule):
    """lines: of the frame, from `first` on, with the part of the picture's columns that `columns` takes."""
    left, _, weight = columns
    frame = np.full((side, side, 3), rule["fill"], np.uint8)
    shown = np.tensordot(weight.astype(float), lines.astype(float), (1, 1)).swapaxes(0, 1)  # whole numbers below 2^53: exact
    frame[first:first + len(shown), left:left + shown.shape[1]] = np.clip(np.floor((shown + 8192) / 16384), 0, 255)
    return frame


def make_frame(file, side, rule, depth=None):
    """uint8 [side, side, 3] RGB; along x and y: scales and offsets, x * scale + offset = x of the frame, and the picture's size."""
    content = pathlib.Path(file).read_bytes()
    picture, turned, size = opened(content)
    fit = min(side / size) if rule["scale"] == "fit" else min(1, *(side / size))
    inner = np.clip(np.rint(size * fit) if rule["rounding"] == "nearest" else np.trunc(size * fit), 1, side)
    offset = (side - inner) // 2 if rule["place"] == "centre" else np.zeros(2)
    scale = np.float32(inner / size).astype(float)

    def open_as(mode, size):
        again = Image.open(io.BytesIO(content))
        again.draft(mode, tuple(int(n) for n in size))
        return np.asarray(again)

    sampling = JpegImagePlugin.get_sampling(picture) if is_jpeg(picture) and picture.mode == "RGB" else -1
    if sampling >= 0 and eighths_of(picture, max(inner / size)) == 8 and turned == 1 and min(size) >= 16:
        first, lines = lines_of_jpeg(open_as, size, scale[1], offset[1], side, rule["resize"], sampling == 2)
        columns = weights_of(scale[0], offset[0], size[0], side, rule["resize"])
        return framed(first, lines[:, columns[1]], columns, side, rule), scale, offset, size
    return draw(decode(content, max(inner / size), depth), scale, offset, side, rule), scale, offset, size
