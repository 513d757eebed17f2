"""Plants label errors of four kinds in a set whose labels are taken for right. Pure: a COCO object in, another one and what was done to it out."""
import copy
import math
import random

from judge import KINDS, overlap

TRIES = 100


def moved(low, length, side, draw):
    """Start of an interval after a move by 0.3 to 0.5 of its length, to the side where it stays in the picture if there is one."""
    by = length * draw.uniform(0.3, 0.5) * draw.choice((-1, 1))
    inside = 0 <= low + by <= side - length
    return low + by if inside else min(max(low - by, 0), side - length)


def shift(box, image, draw):
    return [moved(box[0], box[2], image["width"], draw), moved(box[1], box[3], image["height"], draw), box[2], box[3]]


def free_place(size, image, taken, draw):
    """A box of that size that hardly overlaps with those taken, or the best of TRIES."""
    places = []
    for _ in range(TRIES):
        width, height = min(size[0], image["width"]), min(size[1], image["height"])
        box = [draw.uniform(0, image["width"] - width), draw.uniform(0, image["height"] - height), width, height]
        places.append((max((overlap(box, other) for other in taken), default=0.0), box))
        if places[-1][0] <= 0.1:
            break
    return min(places)[1]


class Planter:
    def __init__(self, whole, seed):
        self.whole, self.draw = copy.deepcopy(whole), random.Random(seed)
        self.images = {image["id"]: image for image in self.whole["images"]}
        self.classes = [one["id"] for one in self.whole["categories"]]
        self.models = [(one["category_id"], one["bbox"][2:]) for one in whole["annotations"]]  # classes and sizes of extra boxes
        self.planted = []

    def of(self, image):
        return [one for one in self.whole["annotations"] if one["image_id"] == image and not one.get("iscrowd")]

    def note(self, kind, label):
        self.planted.append({"kind": kind, "image_id": label["image_id"], "category_id": label["category_id"], "bbox": list(label["bbox"])})

    def missing(self, label):
        self.whole["annotations"].remove(label)
        self.note("missing", label)

    def extra(self, label):
        """A box beside the label's picture's others; the label itself stays as it is."""
        category, size = self.draw.choice(self.models)
        box = free_place(size, self.images[label["image_id"]], [one["bbox"] for one in self.of(label["image_id"])], self.draw)
        new = {"id": 1 + max(one["id"] for one in self.whole["annotations"]), "image_id": label["image_id"], "category_id": category,
               "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
        self.whole["annotations"].append(new)
        self.note("extra", new)

    def shifted(self, label):
        label["bbox"] = shift(label["bbox"], self.images[label["image_id"]], self.draw)
        self.note("shifted", label)

    def swapped(self, label):
        label["category_id"] = self.draw.choice([one for one in self.classes if one != label["category_id"]])
        self.note("swapped", label)

    def plant(self, kind, labels):
        for label in labels:
            getattr(self, kind)(label)


def in_pictures(whole, share, of_boxes, seed):
    """(set, planted): that share of the pictures, drawn by the seed, has errors, of one kind each, in that share of its boxes, rounded up."""
    planter = Planter(whole, seed)
    labelled = sorted({one["image_id"] for one in whole["annotations"]})
    for i, image in enumerate(planter.draw.sample(labelled, round(share * len(whole["images"])))):
        labels = planter.of(image)
        planter.plant(KINDS[i % len(KINDS)], planter.draw.sample(labels, math.ceil(of_boxes * len(labels))))
    return planter.whole, planter.planted
