#!/usr/bin/env python3
"""Draws the rooms (folders of C++) and their include arrows into docs/design.md.

usage: scripts/docs/rooms.py [--check] [--before FOLDER]

Today's picture is of this tree. --check changes nothing and fails when it is not. --before draws another picture of the page,
of the tree in FOLDER: `git archive COMMIT | tar -x -C FOLDER`.
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


def lines_of(half, groups, edges, sizes):
    """A line for each room of a half, those that it includes above it."""
    rooms = [room for room in sizes if room.partition("/")[0] == half]
    margin = "" if rooms == [half] else "  "
    if margin:
        yield f"{half}/"
    width = max(len(margin + shown(room, half)) for room in rooms) + 3
    for room in sorted(rooms, key=lambda room: (depth(groups[room], edges), groups[room], room)):
        mark = "*" if len(groups[room]) > 1 else " "
        targets = ", ".join(sorted(shown(target, half) for group in direct(groups[room], edges) for target in group[:1]))
        line = f"{margin + shown(room, half):<{width}}{sizes[room]:>2}{mark}" + (f" -> {targets}" if targets else "")
        yield from textwrap.wrap(line.rstrip(), 100, subsequent_indent=" " * (width + 7), break_on_hyphens=False)


def picture(files, pairs, room_of):
    """(lines, {room: the rooms it is in a cycle with}, {room: number of files})"""
    rooms = edges_of(pairs, room_of)
    groups = groups_of(rooms)
    edges = {}
    for room, targets in rooms.items():
        edges.setdefault(groups[room], set()).update(groups[target] for target in targets if groups[target] != groups[room])
    sizes = collections.Counter(map(room_of, files))
    halves = [half for half in HALVES if any(room.partition("/")[0] == half for room in sizes)]
    return [line for half in halves for line in lines_of(half, groups, edges, sizes)], groups, sizes


def block(root):
    files = cycles.read_sources(root)
    pairs = include_pairs(files)
    rules = cycles.RULE.findall((root / "tests/structure/includes.cmake").read_text())
    lines, groups, sizes = picture(files, pairs, lambda file: cycles.room_of(file, rules))
    units = {unit for cycle in cycles.cycles(edges_of(pairs, cycles.unit_of)) for unit in cycle}
    sources = {file: Classes(text) for file, text in files.items()}
    longest = max((one.lines, one.name) for source in sources.values() for one in source.functions)
    largest = max(one for source in sources.values() for one in source.classes)
    room, cyclic = max(sizes, key=sizes.get), sum(len(group) > 1 for group in groups.values())
    rows = [("rooms", len(sizes)), ("files of the largest room", f"{sizes[room]}, `{room}`"), ("rooms in include cycles", cyclic),
            ("files in cycles of units", sum(cycles.unit_of(file) in units for file in files)),
            ("lines of the longest function", f"{longest[0]}, `{longest[1]}`"),
            ("members and functions of the largest class", f"{largest[0]}, `{largest[1]}`")]
    table = "".join(f"| {name} | {value} |\n" for name, value in rows)
    return f"| | |\n|---|---|\n{table}\n```\n" + "\n".join(lines) + "\n```\n"


def replaced(text, name, new):
    begin, end = f"<!-- begin rooms {name}: written by scripts/docs/rooms.py -->\n", f"<!-- end rooms {name} -->"
    head, rest = text.split(begin)
    return head + begin + new + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--before", type=pathlib.Path)
    flags = parser.parse_args()
    old = PAGE.read_text()
    new = replaced(old, "before", block(flags.before)) if flags.before else replaced(old, "today", block(ROOT))
    if flags.check and new != old:
        raise SystemExit("docs/design.md: the picture of the rooms is not today's; run scripts/docs/rooms.py")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
