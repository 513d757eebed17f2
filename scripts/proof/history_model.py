"""What README and docs promise of a store, as a model that opens no file: label lines and pictures go in, and out comes what the newest
snapshot must hold. Used by histories.py."""
import dataclasses
import math

MISSING = None


@dataclasses.dataclass(frozen=True)
class Picture:
    """A PNG of one colour."""

    number: int
    width: int
    height: int
    colour: tuple
    content: bytes
    hash: bytes  # XXH3-128 of the content
    is_broken: bool = False


@dataclasses.dataclass
class Inputs:
    """What is on the disk before a build, and its flags."""

    files: dict = dataclasses.field(default_factory=dict)  # name -> Picture
    lines: dict = dataclasses.field(default_factory=dict)  # name -> (split, [(class, box)])
    rename: tuple = ()  # (old, new): --rename-class of the next build
    views: int = 1
    share: float = 0.0  # --val SHARE; 0: val is a label file of its own

    def copy(self):
        return Inputs(dict(self.files), dict(self.lines), self.rename, self.views, self.share)


@dataclasses.dataclass(frozen=True)
class Stored:
    """A picture that is in: boxes as (class name, corners within the picture), in the order of the label lines."""

    picture: Picture
    split: str
    boxes: tuple


@dataclasses.dataclass
class Expected:
    """What a build must publish."""

    stored: dict  # hash -> Stored
    accounting: dict
    new_classes: set
    maybe_classes: set  # of pictures that turn out to be unreadable when they are decoded
    views: int
    paths: dict  # name -> split, of pictures that are in or a duplicate

    def meaning(self):
        """Equal for two builds when their logical digests must be, and only then."""
        return frozenset((stored.picture.hash, stored.split, stored.boxes, self.views_of(stored)) for stored in self.stored.values())

    def views_of(self, stored):
        return self.views if stored.split == "train" else 0


@dataclasses.dataclass
class Refused:
    """Nothing is published; the exit code may be any of these."""

    exits: tuple


def clipped(box, picture):
    """The part of a box inside the picture, and whether that is worth counting; None where nothing is inside."""
    x1, y1, x2, y2 = box
    inside = (max(x1, 0), max(y1, 0), min(x2, picture.width), min(y2, picture.height))
    if inside[0] >= inside[2] or inside[1] >= inside[3]:
        return None, False
    beyond = ((-x1, picture.width), (-y1, picture.height), (x2 - picture.width, picture.width), (y2 - picture.height, picture.height))
    return inside, any(over > 1 and over > 0.005 * side for over, side in beyond)


class Model:
    """The store: class ids are for life, pictures of a share stay where they are."""

    def __init__(self):
        self.classes, self.renamed = [], {}
        self.snapshot, self.share = None, 0.0

    def copy(self):
        other = Model()
        other.classes, other.renamed, other.snapshot, other.share = list(self.classes), dict(self.renamed), self.snapshot, self.share
        return other

    def rename(self, old, new):
        """The class keeps its id under another name; where that is a class already, it gets the boxes. Classes that have become one stay one: either
        name is that of both."""
        one = self.name_of(old)
        kept = one if one in self.classes else old
        if kept in self.classes and new not in self.classes:
            self.classes[self.classes.index(kept)] = new
        self.renamed |= {old: new, one: new}
        self.renamed.pop(new, None)

    def name_of(self, name):
        while name in self.renamed:
            name = self.renamed[name]
        return name

    def expect(self, inputs):
        """What a build must do now. Does not change the model; `published` does."""
        after = self.copy()
        if inputs.rename:
            if inputs.rename[1] in self.renamed:
                return Refused((64,))  # that name is renamed itself, also in label files to come
            after.rename(*inputs.rename)
        return after._expect(inputs)

    def _expect(self, inputs):
        count = dict.fromkeys(("pictures_found", "pictures_stored", "pictures_background", "pictures_duplicate", "pictures_rejected", "boxes_found",
                               "boxes_stored", "boxes_merged", "boxes_rejected", "boxes_clipped"), 0)
        readable = []  # (name, picture, split, boxes), in the order of the label files
        for name, (split, boxes) in sorted(inputs.lines.items(), key=lambda line: (line[1][0] != "train", line[0])):
            picture = inputs.files.get(name, MISSING)
            count["pictures_found"] += 1
            count["boxes_found"] += len(boxes)
            if picture is MISSING:
                count["pictures_rejected"] += 1
                count["boxes_rejected"] += len(boxes)
            else:
                readable.append((name, picture, split, self._boxes_inside(boxes, picture, count)))
        groups = {}
        for line in readable:
            groups.setdefault(line[1].hash, []).append(line)
        splits = self._splits(inputs, groups)
        stored, paths, maybe = {}, {}, set()
        for key, lines in groups.items():
            united = self._united(lines, count)
            paths.update((name, splits[key]) for name, *_ in lines)
            if lines[0][1].is_broken:
                maybe |= {name for name, _ in united}
                count["pictures_rejected"] += 1
                count["boxes_rejected"] += len(united)
                continue
            stored[key] = Stored(lines[0][1], splits[key], tuple(united))
            count["pictures_stored"] += 1
            count["pictures_background"] += not united
            count["boxes_stored"] += len(united)
        used = {name for one in stored.values() for name, _ in one.boxes}
        return self._refusal(inputs, groups, splits, readable) or Expected(stored, count, used - set(self.classes), maybe - set(self.classes), inputs.views, paths)

    def _boxes_inside(self, boxes, picture, count):
        inside = []
        for name, box in boxes:
            part, is_counted = clipped(box, picture)
            if part is None:
                count["boxes_rejected"] += 1
                continue
            count["boxes_clipped"] += is_counted
            inside.append((self.name_of(name), part))
        return inside

    @staticmethod
    def _united(lines, count):
        """Of pictures of equal bytes one is kept, and gets the boxes of all."""
        united = list(lines[0][3])
        for line in lines[1:]:
            count["pictures_duplicate"] += 1
            for box in line[3]:
                if box in united:
                    count["boxes_merged"] += 1
                else:
                    united.append(box)
        return united

    def _splits(self, inputs, groups):
        if not inputs.share:
            return {key: "val" if any(split == "val" for _, _, split, _ in lines) else "train" for key, lines in groups.items()}
        wanted = math.floor(inputs.share * len(groups) + 0.5)
        wanted = max(wanted, 1) if len(groups) > 1 else wanted
        before = {key: self._was_in_val(key, lines) for key, lines in groups.items()}
        in_val = {key for key, was in before.items() if was}
        if inputs.share == self.share:
            others = sorted(key for key, was in before.items() if was is None)
        else:
            in_val = set(sorted(in_val)[:wanted])
            others = sorted(key for key in groups if key not in in_val)
        in_val |= set(others[: max(0, wanted - len(in_val))])
        return {key: "val" if key in in_val else "train" for key in groups}

    def _was_in_val(self, key, lines):
        """By its bytes or else by its path; None: new."""
        if self.snapshot is None:
            return None
        known = [self.snapshot.stored[key].split] if key in self.snapshot.stored else [
            self.snapshot.paths[name] for name, *_ in lines if name in self.snapshot.paths]
        return "val" in known if known else None

    @staticmethod
    def _refusal(inputs, groups, splits, readable):
        """A build that leaves no picture to train on is refused, unless its label files say so."""
        if not inputs.lines:
            return Refused((66,))
        if not any(not picture.is_broken for _, picture, _, _ in readable):
            return Refused((65, 66))  # 66: before they are decoded, all of train are in val, too
        of_train = [lines[0][1] for key, lines in groups.items() if splits[key] == "train"]
        if any(not picture.is_broken for picture in of_train):
            return None
        missing = any(split == "train" and name not in inputs.files for name, (split, _) in inputs.lines.items())
        if of_train or missing:  # all that is left of train cannot be used
            return Refused((65,))
        if inputs.share:
            return Refused((66,))
        return Refused((66,)) if any(split == "train" for _, _, split, _ in readable) else None

    def published(self, inputs, expected, classes):
        """`classes`: the list of the new snapshot; docs leave open in which order new names come. Returns what is wrong, or ""."""
        if inputs.rename:
            self.rename(*inputs.rename)
        known, new = classes[: len(self.classes)], classes[len(self.classes) :]
        if known != self.classes:
            return f"classes are {classes}, the first must be {self.classes}"
        if len(set(classes)) != len(classes) or not expected.new_classes <= set(new) <= expected.new_classes | expected.maybe_classes:
            return f"new classes are {new}, must be {sorted(expected.new_classes)}"
        self.classes, self.snapshot, self.share = list(classes), expected, inputs.share
        return ""

    def rows(self, expected=None):
        """Identities of all rows: bytes, labels with class ids, role, view."""
        expected = expected or self.snapshot
        rows = set()
        for stored in expected.stored.values() if expected else ():
            boxes = tuple((self.classes.index(name), box) for name, box in stored.boxes)
            rows |= {(stored.picture.hash, boxes, stored.split == "train", view) for view in range(expected.views_of(stored) + 1)}
        return rows
