"""Compares labels with the predictions of models that have not seen them: which label is wrong, or lacks, and how. Pure.

After ObjectLab (arXiv:2309.00832): an overlooked object, a badly located box and a swapped class; besides, a label without an object. Two things differ.
A prediction stands for one label only, so that the objects of a crowded picture do not explain each other. And a finding counts the less, the more
findings of its kind and class are at least as strong: what a model often finds it has not learnt, or the labels often lack.

A label is an annotation of COCO (image_id, category_id, bbox: x, y, width, height), a prediction a COCO result (with its score).
"""
import bisect
import collections
import dataclasses

KINDS = ("missing", "extra", "shifted", "swapped")
SAME = 0.5  # IoU from which on a label and a prediction mean one place
NEAR = 0.15  # IoU from which on a prediction may be where a label without support belongs
BESIDE = 0.7  # IoU with a label from which on a prediction is not an object of its own
DOUBLE = 0.6  # the same with a stronger prediction
LEARNT = 0.02  # support that half of a class's labels must have, else the models say nothing about its labels
COMMON = 0.02  # findings of a kind per label of the class at which one counts half
LEAST_DOUBT, LEAST_CONFIDENCE = 0.02, 0.02  # what is below is left out


@dataclasses.dataclass
class Finding:
    """What may be wrong with a label, or with the lack of one. doubt: how wrong it looks by itself, 0 to 1; score: with how common that is."""

    kind: str
    label: dict | None
    prediction: dict | None
    doubt: float
    score: float = 0.0

    @property
    def about(self):
        return self.label or self.prediction


def overlap(first, second):
    """IoU of two boxes."""
    width = min(first[0] + first[2], second[0] + second[2]) - max(first[0], second[0])
    height = min(first[1] + first[3], second[1] + second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / (first[2] * first[3] + second[2] * second[3] - both)


def covered(box, crowd):
    """Share of a box that lies in a crowd."""
    width = min(box[0] + box[2], crowd[0] + crowd[2]) - max(box[0], crowd[0])
    height = min(box[1] + box[3], crowd[1] + crowd[3]) - max(box[1], crowd[1])
    return max(width, 0) * max(height, 0) / (box[2] * box[3]) if box[2] * box[3] else 0.0


class Picture:
    """Labels and predictions of one picture, in pairs of one class and place, best first."""

    def __init__(self, labels, predictions):
        crowds = [one["bbox"] for one in labels if one.get("iscrowd")]
        self.labels = [one for one in labels if not one.get("iscrowd")]
        self.predictions = [one for one in predictions if one["score"] >= LEAST_CONFIDENCE and
                            all(covered(one["bbox"], crowd) < 0.5 for crowd in crowds)]
        self.overlaps = {(i, j): both for i, label in enumerate(self.labels) for j, one in enumerate(self.predictions)
                         if (both := overlap(label["bbox"], one["bbox"])) >= NEAR}
        self.mates = self.pairs()
        used = set(self.mates.values())
        self.free = [j for j in range(len(self.predictions)) if j not in used]

    def same_class(self, i, j):
        return self.labels[i]["category_id"] == self.predictions[j]["category_id"]

    def pairs(self):
        """{label: its prediction}, by index."""
        fits = [(self.predictions[j]["score"] * both, -i, -j) for (i, j), both in self.overlaps.items() if both >= SAME and self.same_class(i, j)]
        return matched(fits)

    def support(self, i):
        """Confidence of the label's own prediction."""
        return self.predictions[self.mates[i]]["score"] if i in self.mates else 0.0


def matched(fits):
    """One-to-one pairs of (value, -first, -second), largest values first, then smallest indices."""
    pairs, used = {}, set()
    for _, i, j in sorted(fits, reverse=True):
        if -i not in pairs and -j not in used:
            pairs[-i] = -j
            used.add(-j)
    return pairs


class Supports:
    """What support the labels of each class have, over all pictures."""

    def __init__(self, pictures):
        self.of = collections.defaultdict(list)
        for picture in pictures:
            for i, label in enumerate(picture.labels):
                self.of[label["category_id"]].append(picture.support(i))
        for values in self.of.values():
            values.sort()

    def typical(self, category):
        """The median; of two, the smaller."""
        values = self.of.get(category, [0.0])
        return values[(len(values) - 1) // 2]

    def learnt(self, category):
        return self.typical(category) > LEARNT

    def strength(self, prediction):
        """0 to 1: a prediction's confidence, by that of the class's labels."""
        category = prediction["category_id"]
        return min(1.0, prediction["score"] / self.typical(category)) if self.learnt(category) else prediction["score"]

    def rank(self, prediction):
        """0 to 1: share of the class's labels whose support is not larger."""
        values = self.of.get(prediction["category_id"], [])
        return bisect.bisect_right(values, prediction["score"]) / len(values) if values else 0.0

    def weakness(self, picture, i):
        """0 to 1: how much of the class's usual support a label lacks."""
        category = picture.labels[i]["category_id"]
        return max(0.0, 1 - picture.support(i) / self.typical(category)) if self.learnt(category) else 1.0


def swap_doubt(picture, supports, i, j):
    """A prediction of another class in the label's place, more confident than that of its own."""
    confidence = picture.predictions[j]["score"]
    share = confidence / (confidence + picture.support(i))
    return supports.strength(picture.predictions[j]) * min(1.0, picture.overlaps[i, j] / BESIDE) * share**2


def shift_doubt(picture, supports, i, j):
    """A prediction of the label's class beside it that is of no other label, and the label has none."""
    others = max((picture.overlaps.get((k, j), 0.0) for k in range(len(picture.labels)) if k != i), default=0.0)
    return supports.strength(picture.predictions[j]) * supports.weakness(picture, i) * max(0.0, 1 - others / BESIDE)


def lack_doubt(picture, supports, j):
    """A confident prediction where there is neither a label nor a stronger prediction."""
    prediction = picture.predictions[j]
    label = max((picture.overlaps.get((i, j), 0.0) for i in range(len(picture.labels))), default=0.0)
    double = max((overlap(prediction["bbox"], one["bbox"]) for one in picture.predictions if one["score"] > prediction["score"]), default=0.0)
    return supports.rank(prediction) ** 0.5 * max(0.0, 1 - label / BESIDE) * max(0.0, 1 - double / DOUBLE)


def explained(picture, supports):
    """{label: (kind, prediction, doubt)} of labels with a prediction that tells how they are wrong, by index."""
    known = {}
    for (i, j), both in picture.overlaps.items():
        if j in picture.free and both >= SAME and not picture.same_class(i, j):
            known[i, j] = ("swapped", swap_doubt(picture, supports, i, j))
        elif j in picture.free and both < SAME and picture.same_class(i, j):
            known[i, j] = ("shifted", shift_doubt(picture, supports, i, j))
    pairs = matched([(doubt, -i, -j) for (i, j), (_, doubt) in known.items() if doubt >= LEAST_DOUBT])
    return {i: (known[i, j][0], j, known[i, j][1]) for i, j in pairs.items()}


def findings_in(picture, supports):
    """At most one per label, and those about predictions without a label; without scores."""
    known = explained(picture, supports)
    found = [Finding(kind, picture.labels[i], picture.predictions[j], doubt) for i, (kind, j, doubt) in known.items()]
    for i, label in enumerate(picture.labels):
        if i not in known and supports.learnt(label["category_id"]):
            found.append(Finding("extra", label, None, supports.weakness(picture, i)))
    explaining = {j for _, j, _ in known.values()}
    for j in picture.free:
        if j not in explaining:
            found.append(Finding("missing", None, picture.predictions[j], lack_doubt(picture, supports, j)))
    return [one for one in found if one.doubt >= LEAST_DOUBT]


def weigh(found, supports):
    """Gives each finding its score: its doubt, the less the more stronger ones there are of its kind and class."""
    groups = collections.defaultdict(list)
    for one in found:
        groups[one.kind, one.about["category_id"]].append(one)
    for (_, category), group in groups.items():
        doubts = sorted(one.doubt for one in group)
        labels = len(supports.of.get(category, [])) + 1
        for one in group:
            stronger = len(doubts) - bisect.bisect_right(doubts, one.doubt)
            one.score = one.doubt * COMMON / (COMMON + stronger / labels)


def judge(labels, predictions):
    """All findings, the worst first. labels, predictions: lists of the whole set; predictions: by models that have not seen their pictures' labels."""
    by_picture = collections.defaultdict(lambda: ([], []))
    for kind, ones in enumerate((labels, predictions)):
        for one in ones:
            by_picture[one["image_id"]][kind].append(one)
    pictures = [Picture(*both) for _, both in sorted(by_picture.items())]
    supports = Supports(pictures)
    found = [one for picture in pictures for one in findings_in(picture, supports)]
    weigh(found, supports)
    return sorted(found, key=lambda one: -one.score)
