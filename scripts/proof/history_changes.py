"""What happens to the pictures and labels that a store is made from. Used by histories.py."""
from history_model import Inputs
from history_world import DAY_S

NAMES = [f"{letter}.png" for letter in "abcdefgh"]
CLASSES = ("ant", "bee", "cat", "dog", "emu")
SHARES = (0.25, 0.4, 0.5)


class Changes:
    """The inputs of the next build. Numbers choose among what is there, so that a history stays one when steps are left out."""

    def __init__(self, world, model, share):
        world.start()
        self.world, self.model, self.inputs = world, model, Inputs(share=share)
        self.is_shared = share > 0

    def chosen(self, number):
        return sorted(self.inputs.lines)[number % len(self.inputs.lines)] if self.inputs.lines else None

    def on_disk(self, number):
        names = sorted(name for name in self.inputs.lines if name in self.inputs.files)
        return names[number % len(names)] if names else None

    def put(self, name, picture, keep_time=False):
        self.world.put(name, picture, keep_time)
        self.inputs.files[name] = picture

    def boxes(self, number):
        boxes = []
        for place in range(6):
            if number >> place & 1:
                kind = CLASSES[(number >> 6 + place) % len(CLASSES)]
                boxes.append((kind, ((0, 0, 4, 4), (1, 1, 6, 6), (2, 0, 8, 7), (0, 3, 5, 8), (1, 2, 14, 6), (17, 1, 19, 5))[place]))
        return boxes

    def add(self, a, b, c):
        name = NAMES[a % len(NAMES)]
        if name not in self.inputs.lines:
            self.put(name, self.world.pictures[b % len(self.world.pictures)])
            self.inputs.lines[name] = ("val" if c % 4 == 0 and not self.is_shared else "train", self.boxes(c // 4))

    def edit(self, a, b, c):
        if name := self.chosen(a):
            self.put(name, self.world.pictures[b % len(self.world.pictures)])

    def edit_quietly(self, a, b, c):
        name = self.on_disk(a)
        if name and not self.inputs.files[name].is_broken:
            old = self.inputs.files[name].number
            self.put(name, self.world.pictures[(old + 4 * (1 + b % 3)) % 16], keep_time=True)

    def rename(self, a, b, c):
        name, new = self.on_disk(a), NAMES[b % len(NAMES)]
        if name and new not in self.inputs.lines:
            self.world.path(name).rename(self.world.path(new))
            self.inputs.files[new] = self.inputs.files.pop(name)
            self.inputs.lines[new] = self.inputs.lines.pop(name)

    def move(self, a, b, c):
        if (name := self.chosen(a)) and not self.is_shared:
            split, boxes = self.inputs.lines[name]
            self.inputs.lines[name] = ("train" if split == "val" else "val", boxes)

    def relabel(self, a, b, c):
        if name := self.chosen(a):
            self.inputs.lines[name] = (self.inputs.lines[name][0], self.boxes(c))

    def rename_class(self, a, b, c):
        if self.inputs.rename or not self.model.classes:
            return
        old, new = self.model.classes[a % len(self.model.classes)], (*CLASSES, "fox", "gnu")[b % 7]
        if old != new and self.model.name_of(new) != self.model.name_of(old):
            self.inputs.rename = (old, new)

    def remove(self, a, b, c):
        if name := self.chosen(a):
            del self.inputs.lines[name]
            self.lose_file(name)

    def lose(self, a, b, c):
        if name := self.chosen(a):
            self.lose_file(name)

    def lose_file(self, name):
        self.world.path(name).unlink(missing_ok=True)
        self.inputs.files.pop(name, None)

    def cut(self, a, b, c):
        """The picture's file breaks off. Which split such a one counts for is not said, so not where val is a share."""
        if (name := self.on_disk(a)) and not self.is_shared:
            self.put(name, self.world.broken)

    def views(self, a, b, c):
        self.inputs.views = a % 3

    def share(self, a, b, c):
        if self.is_shared:
            self.inputs.share = SHARES[a % len(SHARES)]

    def clock(self, a, b, c):
        self.world.clock_s = (-30, 0, 0, 30, 400)[a % 5] * DAY_S
