"""No include cycles: not between rooms (the folders that have a rule in includes.cmake), not between headers, and
not between units (a header together with the .cpp of its name).

Run: python3 cycles.py REPOSITORY. Prints the includes of each cycle and exits 1 when there is one.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
RULE = re.compile(r"^rule\(([\w/]+)", re.MULTILINE)
RULES = pathlib.Path(__file__).with_name("includes.cmake")

# Units of one cycle each, in which a private header still takes its types from the header that its user implements.
# Take a line out once it has none; no other cycle is allowed.
UNITS_ALLOWED = (
    {"formats/annotations/files/archive", "formats/annotations/files/file_tree"},
    {"formats/annotations/readers/json/coco_document", "formats/annotations/readers/json/coco_entries",
     "formats/annotations/readers/json/coco_outline"},
    {"trainer/fit/options/derived_options", "trainer/fit/options/fit_flags", "trainer/fit/options/fit_options",
     "trainer/fit/options/monitor"})


def read_sources(root):
    """Path below root -> text, of all our headers and .cpp files."""
    files = (f for half in ("formats", "commandline", "machine", "preprocess", "trainer", "python") for f in (root / half).rglob("*"))
    return {f.relative_to(root).as_posix(): f.read_text() for f in files if f.suffix in (".h", ".cpp", ".inl")}


def resolve(name, file, files):
    """The file that `#include "name"` in `file` means; None when it is not ours."""
    candidates = [name, (pathlib.PurePosixPath(file).parent / name).as_posix()]
    if name.startswith("letterpress/"):
        part = name.split("/")[1]
        candidates += [f"formats/{part}/include/{name}", f"{part}/include/{name}"]
    return next((f for f in candidates if f in files), None)


def room_of(file, rooms):
    folders = [r for r in rooms if file.startswith(r + "/")]
    return max(folders, key=len).removesuffix("/include") if folders else file.rpartition("/")[0]


def unit_of(file):
    """x.h and x.cpp are one unit, also where formats/ has them apart in include/letterpress/<part> and src."""
    return re.sub(r"/(include/letterpress/\w+|src)/", "/", file.rpartition(".")[0])


def cycles(edges):
    """The strongly connected components of more than one node (Tarjan 1972), each sorted."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(edges.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) > at + 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def report(kind, includes, node_of, allowed=()):
    """Prints each cycle of these nodes that is not of allowed ones alone; how many."""
    edges = {}
    for file, target in includes:
        if node_of(file) != node_of(target):
            edges.setdefault(node_of(file), set()).add(node_of(target))
    found = [c for c in cycles(edges) if not any(set(c) <= one for one in allowed)]
    for members in found:
        print(f"cycle of {len(members)} {kind}: {', '.join(members)}")
        for file, target in includes:
            if node_of(file) != node_of(target) and {node_of(file), node_of(target)} <= set(members):
                print(f"  {file} includes {target}")
    return len(found)


def main(root):
    files = read_sources(root)
    includes = [(file, target) for file, text in files.items() for name in INCLUDE.findall(text)
                if (target := resolve(name, file, files)) not in (None, file)]
    if not includes:
        sys.exit(f"{root}: holds no #include to check; is it the repository?")
    rooms = RULE.findall(RULES.read_text())
    headers = [(file, target) for file, target in includes if not file.endswith(".cpp")]
    found = (report("rooms", includes, lambda file: room_of(file, rooms))
             + report("headers", headers, lambda file: file)
             + report("units", includes, unit_of, UNITS_ALLOWED))
    if found:
        sys.exit(f"include cycles: {found}; give what both sides need a header of its own")
    print(f"{len(includes)} includes of our own files, no cycle")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
