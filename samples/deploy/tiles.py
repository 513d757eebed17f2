"""Big pictures in tiles: what a model sees of each, and what was found in them put together. docs/reference/store.md and docs/how-to/tiles.md say
the same in words.

    size, cut = tiles.cut("board.png", 640, letterbox, rule)    # "letterbox" and "tiles" of an exported file's metadata
    for tile in cut: ...
    rows = tiles.merged([(tile.place, rows of the tile), ...], size, iou=0.6, together=False)
    rows = rows[rows[:, 4] > confidence]

Rows are x1 y1 x2 y2 score class, in pixels of the picture; so are places, x1 y1 x2 y2. What is merged are rows with a score over "before_merging" of
the file's "suppression", not only those over its "confidence".
"""
import collections
import math
import pathlib

import numpy as np
import pixels

NEAR_EDGE = 0.01  # of a tile: a box that ends so near to its edge is cut there

Tile = collections.namedtuple("Tile", "place frame scale offset")


def starts_of(length, span, overlap):
    """Of the tiles along an axis of the picture."""
    if length <= span:
        return [0]
    last = math.ceil((length - span) / (span - overlap))
    return [i * (length - span) // last for i in range(last + 1)]


def cut(file, side, letterbox, rule, depth=None):
    """The picture's size, and its Tiles one after the other, row by row. frame: uint8 [side, side, 3] RGB; along x and y x * scale + offset = x of
    the frame."""
    content, scale = pathlib.Path(file).read_bytes(), rule["scale"]
    span = max(1, int(side / scale))
    overlap = min(span - 1, math.ceil(span * rule["overlap"]))
    size, decoded = pixels.opened(content)[2], pixels.decode(content, scale, depth)
    padded = (letterbox["place"] == "centre") & (size < span)
    padding = np.where(padded, np.floor((side - size * scale) / 2), 0)

    def tile(x, y):
        at, scales = np.array([x, y]), np.float32([scale, scale]).astype(float)
        offset = np.float32(padding - scale * at).astype(float)
        return Tile([*at, *(at + np.minimum(span, size))], pixels.draw(decoded, scales, offset, side, letterbox), scales, offset)

    starts = [starts_of(length, span, overlap) for length in size]
    return size, (tile(x, y) for y in starts[1] for x in starts[0])


def common(a, b):
    return [max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])]


def around(a, b):
    return [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]


def area(box):
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def overlap_of(a, b):
    """Intersection over union."""
    both = area(common(a, b))
    return both / (area(a) + area(b) - both) if both > 0 else 0


def holds(box, other, near):
    return box[0] < other[0] + near and box[1] < other[1] + near and box[2] > other[2] - near and box[3] > other[3] - near


def neighbours(places):
    """Of each tile: the other ones that overlap it."""
    cell = max([1, *(max(x2 - x1, y2 - y1) for x1, y1, x2, y2 in places)])  # so that a tile lies in four of them at most
    in_cell = collections.defaultdict(list)

    def cells(place):
        x1, y1, x2, y2 = (int(value // cell) for value in place)
        return [(x, y) for y in range(y1, y2 + 1) for x in range(x1, x2 + 1)]

    for number, place in enumerate(places):
        for one in cells(place):
            in_cell[one].append(number)
    return [sorted({b for one in cells(place) for b in in_cell[one] if b != a and area(common(place, places[b])) > 0})
            for a, place in enumerate(places)]


class Thing:
    """What was found in one tile or in several: the box of the best one."""

    def __init__(self, number, row, is_cut):
        self.number, self.box, self.score, self.kind, self.is_cut, self.is_part = number, list(row[:4]), row[4], row[5], is_cut, False
        self.tiles = set()  # that show it


class Merger:
    def __init__(self, places, size, iou, together):
        self.places, self.size, self.iou, self.together = places, size, iou, together
        self.things, self.seen = [], [[] for _ in places]  # of each tile: [thing, row]
        self.near = neighbours(places)

    def near_edge(self, tile):
        x1, y1, x2, y2 = self.places[tile]
        return NEAR_EDGE * max(x2 - x1, y2 - y1)

    def is_cut(self, tile, row):
        (x1, y1, x2, y2), near = self.places[tile], self.near_edge(tile)
        return bool((x1 > 0 and row[0] < x1 + near) or (y1 > 0 and row[1] < y1 + near) or
                    (x2 < self.size[0] and row[2] > x2 - near) or (y2 < self.size[1] and row[3] > y2 - near))

    def is_same(self, tile, row, other, its_row):
        """Both cut to what the two tiles show."""
        if not self.together and row[5] != its_row[5]:
            return False
        both = common(self.places[tile], self.places[other])
        return overlap_of(common(row, both), common(its_row, both)) > self.iou

    def add(self, tile, row):
        """Rows come from the best to the worst."""
        same = {thing.number for other in self.near[tile] for thing, its_row in self.seen[other]
                if self.is_same(tile, row, other, its_row) and tile not in thing.tiles}
        known = [self.things[number] for number in sorted(same)]
        if not known:
            known = [Thing(len(self.things), row, self.is_cut(tile, row))]
            self.things += known
        for part in known[1:]:
            self.join(known[0], part, tile, row)
        if known[0].is_cut:
            self.grow(known[0], row, self.is_cut(tile, row), self.near_edge(tile))
        self.seen[tile].append([known[0], row])
        known[0].tiles.add(tile)

    def join(self, best, part, tile, row):
        """Two of which a tile between them shows that they are one; one tile that shows both knows better."""
        if best.tiles & part.tiles:
            return
        near = self.near_edge(tile)
        if best.is_cut:
            self.grow(best, part.box, part.is_cut, near)
        elif not holds(best.box, part.box, near):  # fragments, one with an edge that is off the tile's, if the tile between them shows both
            if not (holds(row, best.box, near) and holds(row, part.box, near)):
                return
            best.is_cut, best.box = self.is_cut(tile, row), list(row[:4])
        part.is_part = True
        for tile in part.tiles:
            for seen in self.seen[tile]:
                if seen[0] is part:
                    seen[0] = best
        best.tiles |= part.tiles

    @staticmethod
    def grow(thing, box, is_cut, near):
        """A whole box stands in for a cut one that it holds; others are joined."""
        thing.is_cut = is_cut or not holds(box, thing.box, near)
        thing.box = around(thing.box, box) if thing.is_cut else list(box[:4])


def merged(tiles, size, iou, together):
    """tiles: (place, rows) of each; together: a box stands for one of any class. Rows of the picture, best first."""
    merger = Merger([place for place, _ in tiles], size, iou, together)
    rows = [(tile, row) for tile, (_, rows) in enumerate(tiles) for row in rows]
    for tile, row in sorted(rows, key=lambda one: -one[1][4]):  # of equal scores the earlier tile's
        merger.add(tile, row)
    return np.array([[*thing.box, thing.score, thing.kind] for thing in merger.things if not thing.is_part]).reshape(-1, 6)
