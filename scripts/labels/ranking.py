"""Lists of findings: per box, and per picture. Pure."""
import collections
import dataclasses

from judge import KINDS

EVEN = 5  # labels beside a picture's own that are taken for right, so that pictures with few labels do not come first by one doubt


@dataclasses.dataclass
class Doubtful:
    """A picture and what is wrong with it. score: share of its objects that look wrong; kind: what most of them look like."""

    image: int
    score: float
    kind: str
    findings: list


def worst_pictures(images, labels, found):
    """All pictures, the worst first. images: ids."""
    counts = collections.Counter(one["image_id"] for one in labels if not one.get("iscrowd"))
    by_picture = collections.defaultdict(list)
    for one in found:
        by_picture[one.about["image_id"]].append(one)
    return sorted((doubtful(image, counts[image], by_picture[image]) for image in images), key=lambda one: -one.score)


def doubtful(image, labels, found):
    sums = collections.Counter()
    for one in found:
        sums[one.kind] += one.score
    kind = max(sums, key=sums.get, default="")
    return Doubtful(image, sum(sums.values()) / (labels + sums["missing"] + EVEN), kind, found)


def box_text(one):
    return " ".join(f"{value:.1f}" for value in one["bbox"]) if one else ""


def class_text(one, names):
    return names[one["category_id"]] if one else ""


def box_rows(whole, found):
    """Rows of the list of boxes, with a header."""
    names = {one["id"]: one["name"] for one in whole["categories"]}
    images = {one["id"]: one for one in whole["images"]}
    yield ["score", "kind", "path", "class", "box", "predicted_class", "predicted_box", "confidence", "where"]
    for one in found:
        image, confidence = images[one.about["image_id"]], f"{one.prediction['score']:.3f}" if one.prediction else ""
        yield [f"{one.score:.4f}", one.kind, image["file_name"], class_text(one.label, names), box_text(one.label), class_text(one.prediction, names),
               box_text(one.prediction), confidence, image["where"]]


def picture_rows(whole, pictures):
    """Rows of the list of pictures, with a header: how bad each is by kind, and in which way most."""
    images = {one["id"]: one for one in whole["images"]}
    yield ["score", "kind", *KINDS, "path", "where"]
    for one in pictures:
        sums = [sum(each.score for each in one.findings if each.kind == kind) for kind in KINDS]
        image = images[one.image]
        yield [f"{one.score:.4f}", one.kind, *(f"{value:.2f}" for value in sums), image["file_name"], image["where"]]
