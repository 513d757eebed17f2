#!/usr/bin/env python3
"""Draws the rooms (folders of C++) and their include arrows into docs/design.md.

usage: scripts/docs/rooms.py [--check | --sizes] [--before FOLDER]

Today's picture is of this tree. --check changes nothing and fails when it is not: a room or an arrow is new or gone. --before draws
another picture of the page, of the tree in FOLDER: `git archive COMMIT | tar -x -C FOLDER`. --sizes prints what grows with each file:
how large rooms, functions and classes are. The page does not hold that, or each new file would make it stale.
"""
import argparse
import collections
import itertools
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "design.md"
sys.path.insert(0, str(ROOT / "tests" / "structure"))
import cycles  # noqa: E402
import functions  # noqa: E402
import markers  # noqa: E402

HALVES = ("formats", "commandline", "machine", "preprocess", "trainer", "python")
# What begins a statement that declares no member.
BESIDE = {"using", "friend", "static_assert", "enum", "class", "struct", "union", "static", "typedef", "template"}


def name_after(words):
    """Trainer::State, of what follows `struct`, without its bases."""
    return "".join(itertools.takewhile(lambda word: word not in (":", "final", "<"), words))


class Classes(functions.Source):
    """Adds `classes`: (members and functions, name) of each class that has functions of its own."""

    def __init__(self, text):
        self.classes, self.inside = [], [None]
        super().__init__(text)

    def read_braces(self, kind, first, opening):
        words = [self.text(at) for at in range(first, opening)]
        name = next((i for i, word in enumerate(words) if word in ("class", "struct")), None) if kind == "scope" else None
        if kind == "function" and self.inside[-1]:
            self.inside[-1][1] += 1
        if kind == "value":
            return super().read_braces(kind, first, opening)
        self.inside.append([0, 0] if name is not None and "namespace" not in words else None)
        end = super().read_braces(kind, first, opening)
        counted = self.inside.pop()
        if counted and counted[1]:
            self.classes.append((sum(counted), name_after(words[name + 1:])))
        return end

    def end_declaration(self, first, semicolon):
        super().end_declaration(first, semicolon)
        if not self.inside[-1] or first == semicolon or self.text(first) in BESIDE:
            return
        opening = self.parameter_list(first, semicolon)
        assigned = next((at for at in self.shallow(first, semicolon) if self.text(at) == "="), semicolon)
        if opening is not None and opening < assigned:
            self.inside[-1][1] += self.text(semicolon - 1) not in ("default", "delete")
        else:
            self.inside[-1][0] += 1 + sum(self.text(at) == "," for at in self.shallow(first, semicolon))


def include_pairs(files):
    return [(file, target) for file, text in files.items() for name in cycles.INCLUDE.findall(text)
            if (target := cycles.resolve(name, file, files)) not in (None, file)]


def edges_of(pairs, node_of):
    edges = {}
    for file, target in pairs:
        edges.setdefault(node_of(file), set())
        if node_of(file) != node_of(target):
            edges[node_of(file)].add(node_of(target))
    return edges


def groups_of(edges):
    """{room: the rooms that it is in a cycle with, itself among them}"""
    groups = {room: (room,) for room in set(edges).union(*edges.values())}
    for cycle in cycles.cycles(edges):
        groups |= dict.fromkeys(cycle, tuple(cycle))
    return groups


def reached(group, edges, seen):
    for target in edges.get(group, ()):
        if target not in seen:
            seen.add(target)
            reached(target, edges, seen)
    return seen


def direct(group, edges):
    """Without the arrows that lead where another one leads, too."""
    targets = edges.get(group, set())
    return {target for target in targets if not any(target in reached(other, edges, set()) for other in targets - {target})}


def depth(group, edges):
    return 1 + max((depth(target, edges) for target in edges.get(group, ())), default=-1)


def shown(room, half):
    return room.removeprefix(half + "/")


def lines_of(half, groups, edges, rooms):
    """A line for each room of a half, those that it includes above it."""
    rooms = [room for room in rooms if room.partition("/")[0] == half]
    margin = "" if rooms == [half] else "  "
    if margin:
        yield f"{half}/"
    width = max(len(margin + shown(room, half)) for room in rooms) + 1
    for room in sorted(rooms, key=lambda room: (depth(groups[room], edges), groups[room], room)):
        mark = "*" if len(groups[room]) > 1 else " "
        targets = ", ".join(sorted(shown(target, half) for group in direct(groups[room], edges) for target in group[:1]))
        line = f"{margin + shown(room, half):<{width}}{mark}" + (f" -> {targets}" if targets else "")
        yield from textwrap.wrap(line.rstrip(), 100, subsequent_indent=" " * (width + 5), break_on_hyphens=False)


class Tree:
    """The C++ below a folder: its files, their includes, and the room of each."""

    def __init__(self, root):
        self.files = cycles.read_sources(root)
        self.pairs = include_pairs(self.files)
        rules = cycles.RULE.findall((root / "tests/structure/includes.cmake").read_text())
        self.room_of = {file: cycles.room_of(file, rules) for file in self.files}
        self.room_edges = edges_of(self.pairs, self.room_of.get)
        self.groups = groups_of(self.room_edges)


def block(tree):
    """What the page holds of a tree."""
    groups, edges, rooms = tree.groups, {}, set(tree.room_of.values())
    for room, targets in tree.room_edges.items():
        edges.setdefault(groups[room], set()).update(groups[target] for target in targets if groups[target] != groups[room])
    halves = [half for half in HALVES if any(room.partition("/")[0] == half for room in rooms)]
    lines = [line for half in halves for line in lines_of(half, groups, edges, rooms)]
    cyclic = sum(len(group) > 1 for group in groups.values())
    return f"{len(rooms)} rooms, {cyclic or 'none'} of them in a cycle of includes.\n\n```\n" + "\n".join(lines) + "\n```\n"


def sizes(tree):
    """The largest of each kind: (what it is, number and name)."""
    room, n = collections.Counter(tree.room_of.values()).most_common(1)[0]
    units = {unit for cycle in cycles.cycles(edges_of(tree.pairs, cycles.unit_of)) for unit in cycle}
    sources = [Classes(text) for text in tree.files.values()]
    longest = max((one.lines, one.name) for source in sources for one in source.functions)
    largest = max(one for source in sources for one in source.classes)
    yield "files of the largest room", f"{n}, {room}"
    yield "files in cycles of units", sum(cycles.unit_of(file) in units for file in tree.files)
    yield "lines of the longest function", f"{longest[0]}, {longest[1]}"
    yield "members and functions of the largest class", f"{largest[0]}, {largest[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--before", type=pathlib.Path)
    flags = parser.parse_args()
    tree, name = Tree(flags.before or ROOT), "before" if flags.before else "today"
    if flags.sizes:
        for what, size in sizes(tree):
            print(f"{what:44}{size}")
        return
    old = PAGE.read_text()
    new = markers.page_with(PAGE, "scripts/docs/rooms.py", {f"rooms {name}": block(tree).removesuffix("\n")})
    if flags.check and new != old:
        raise SystemExit("docs/design.md: the picture of the rooms is not today's; run scripts/docs/rooms.py")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
