"""The sets of beside.py: few pictures each, drawn with one seed. Each function returns {"train": Pictures, "val": Pictures}.

The defaults were tuned on the first two. White cells are pictures of the first with other labels: one class, a large object in nearly each picture.
Objects are of nothing that was looked at: photographs of ten classes that lie anywhere on another one, at two to three and a half times their size."""
import io
import pathlib
import random
import tarfile

import PIL.Image

from yolo_set import Picture, keras_picture, voc_picture

SIDE, PHOTO = 256, 32  # pixels, of a picture of objects and of CIFAR-10's


def of_bccd(folder, order, is_wanted=lambda box: True):
    """130 pictures that have a wanted box to train; BCCD's val list to validate."""
    names = {split: (folder / "ImageSets/Main" / f"{split}.txt").read_text().split() for split in ("train", "val", "test")}
    listed = [voc_picture(folder, name) for name in names["train"] + names["test"]]
    val = [voc_picture(folder, name) for name in names["val"]]
    kept = {split: [Picture(one.file, one.size, [box for box in one.boxes if is_wanted(box)]) for one in of_split]
            for split, of_split in (("train", listed), ("val", val))}
    return kept | {"train": order.sample([one for one in kept["train"] if one.boxes], 130)}


def bccd(sources, order, _):
    return of_bccd(sources.bccd, order)


def white_cells(sources, order, _):
    return of_bccd(sources.bccd, order, lambda box: box[0] == "WBC")


def deeppcb(sources, order, _):
    """300 pictures to train, 150 to validate."""
    names = (sources.deeppcb / "classes.txt").read_text().split()
    drawn = {}
    for split, listed, n in (("train", "train.txt", 300), ("val", "test.txt", 150)):
        lines = order.sample((sources.deeppcb / listed).read_text().splitlines(), n)
        drawn[split] = [keras_picture(sources.deeppcb, line, names, (640, 640)) for line in lines]
    return drawn


def photographs(archive):
    """[(class, RGB picture)] of one of CIFAR-10's archives: "train/cat/0001.jpg"."""
    with tarfile.open(archive) as members:
        return [(pathlib.PurePath(member.name).parent.name, PIL.Image.open(io.BytesIO(members.extractfile(member).read())).convert("RGB"))
                for member in members if member.isfile()]


def overlaps(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw_objects(photos, order, file):
    """Two to five of them on another one, none over another. Returns the picture, which is written to `file`."""
    canvas = order.choice(photos)[1].resize((SIDE, SIDE), PIL.Image.Resampling.BICUBIC)
    boxes = []
    for name, photo in order.sample(photos, order.randint(2, 5)):
        side = order.randint(2 * PHOTO, 7 * PHOTO // 2)
        for _ in range(50):
            x, y = (order.randint(0, SIDE - side) for _ in range(2))
            corners = (x, y, x + side, y + side)
            if not any(overlaps(corners, box[1:]) for box in boxes):
                canvas.paste(photo.resize((side, side), PIL.Image.Resampling.BICUBIC), (x, y))
                boxes.append((name, *corners))
                break
    canvas.save(file)
    return Picture(file, (SIDE, SIDE), boxes)


def objects(sources, order, drawn):
    """300 pictures of CIFAR-10's train archive, 150 of its test archive, drawn into the folder `drawn`."""
    drawn.mkdir(parents=True, exist_ok=True)
    return {split: [draw_objects(photos, order, drawn / f"{split}-{number}.png") for number in range(n)]
            for split, n, photos in (("train", 300, photographs(sources.cifar / "train.tar")), ("val", 150, photographs(sources.cifar / "test.tar")))}


SETS = {"bccd-130": bccd, "deeppcb-300": deeppcb, "white-cells-130": white_cells, "objects-300": objects}


def pictures_of(name, sources, drawn):
    """Of one of SETS. sources: has .bccd, .deeppcb, .cifar, folders. drawn: a folder for pictures that a set draws."""
    return SETS[name](sources, random.Random(7), drawn)
