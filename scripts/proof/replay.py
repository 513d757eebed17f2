"""The states of a file system that POSIX permits after a power loss, from a log of calls (tests/faults/watch.h).

What was not made durable may be there or not, each change by itself: a write to a file until it is synced, in any order, torn at 512
bytes or read as zeros; a name in a folder until the folder is synced. A rename is atomic: the new name never lacks the file when the old
one is gone, and a folder has one of both. syncfs makes all durable. The state before the first call is durable."""
import hashlib
import os
import pathlib

SECTOR = 512
LOST, WHOLE, ZEROS, HEAD, TAIL = "lost", "whole", "zeros", "head", "tail"
PARTS = (LOST, WHOLE, ZEROS, HEAD, TAIL)
NEVER = 1 << 60


class Node:
    """A file or folder; `start` is what a file held before the log began."""

    def __init__(self, is_folder, start=b""):
        self.is_folder, self.start = is_folder, start


class Effect:
    """One change: of a file's bytes (write, resize), or of a name in a folder (add, remove). durable: the number of calls after which it
    is; needs: an effect that must be there, too; follows: it is there whenever that one is."""

    def __init__(self, kind, node, made, name="", target=None, offset=0, data=b"", needs=None, follows=False):
        self.kind, self.node, self.made, self.name, self.target = kind, node, made, name, target
        self.offset, self.data, self.needs, self.follows, self.durable = offset, data, needs, follows, NEVER

    def pieces(self, part):
        """[(offset, bytes)] of a write of which `part` is there."""
        if part in (WHOLE, ZEROS):
            return [(self.offset, self.data if part == WHOLE else bytes(len(self.data)))]
        middle = (self.offset + len(self.data) // 2) // SECTOR * SECTOR - self.offset
        middle = max(0, min(len(self.data), middle))
        return [(self.offset, self.data[:middle])] if part == HEAD else [(self.offset + middle, self.data[middle:])]


class Recorder:
    """Turns a folder and the calls about it into effects."""

    def __init__(self, folder):
        self.folder, self.effects, self.by_inode, self.calls = pathlib.Path(folder), [], {}, 0
        self.root = self.node_of(self.folder)
        for path in sorted(self.folder.rglob("*")):
            parent = self.by_inode[path.parent.stat().st_ino]
            self.effects.append(Effect("add", parent, 0, path.name, self.node_of(path)))
        for effect in self.effects:
            effect.durable = 0
        self.names = {}

    def node_of(self, path):
        node = Node(path.is_dir(), b"" if path.is_dir() else path.read_bytes())
        self.by_inode[os.lstat(path).st_ino] = node
        return node

    def find(self, path):
        """The node that has this name now, its folder and the name in it."""
        parts = pathlib.Path(path).relative_to(self.folder).parts
        folder = self.root
        for part in parts[:-1]:
            folder = self.now(folder)[part]
        return self.now(folder).get(parts[-1]) if parts else self.root, folder, parts[-1] if parts else ""

    def now(self, folder):
        entries = {}
        for effect in self.effects:
            if effect.node is folder and effect.kind == "add":
                entries[effect.name] = effect.target
            elif effect.node is folder and effect.kind == "remove":
                entries.pop(effect.name, None)
        return entries

    def change(self, kind, node, **more):
        self.effects.append(Effect(kind, node, self.calls, **more))
        return self.effects[-1]

    def below(self, path):
        return path == str(self.folder) or path.startswith(str(self.folder) + "/")

    def add(self, call):
        """Takes up the next call; those that failed, and about other folders, changed nothing."""
        self.calls += 1
        if call.how not in ("ok", "short", "half") or not self.below(call.other or call.path.removesuffix(" (deleted)")):
            return
        operation = call.operation
        if operation in ("create", "mkdir"):
            node = self.by_inode[call.inode] = Node(operation == "mkdir")
            _, folder, name = self.find(call.path)
            self.change("add", folder, name=name, target=node)
        elif operation in ("link", "rename"):
            self.give_name(call)
        elif operation in ("unlink", "rmdir"):
            _, folder, name = self.find(call.path)
            self.change("remove", folder, name=name)
        elif operation == "write":
            self.change("write", self.by_inode[call.inode], offset=call.offset, data=call.bytes)
        elif operation in ("resize", "truncate", "allocate"):
            self.change("resize", self.by_inode[call.inode], offset=max(0, call.size))
        elif operation in ("sync", "syncfs"):
            self.make_durable(None if operation == "syncfs" else self.by_inode[call.inode])

    def give_name(self, call):
        node, folder, name = self.find(call.path)
        _, to, new_name = self.find(call.other)
        added = self.change("add", to, name=new_name, target=node)
        if call.operation == "rename":
            self.change("remove", folder, name=name, needs=added, follows=node.is_folder)

    def make_durable(self, node):
        for effect in self.effects:
            if effect.durable == NEVER and (node is None or effect.node is node):
                effect.durable = self.calls
                if effect.needs and effect.needs.durable == NEVER:
                    effect.needs.durable = self.calls
        for effect in self.effects:
            if effect.follows and effect.durable == NEVER:
                effect.durable = effect.needs.durable


class States:
    """The states after the first `point` calls."""

    def __init__(self, recorder):
        self.recorder, self.contents = recorder, {}

    def pending(self, point):
        return [effect for effect in self.recorder.effects if effect.made <= point < effect.durable]

    def build(self, point, part_of):
        """{name: key of its content, or None for a folder}; part_of(effect) -> one of PARTS, for a pending effect."""
        names, bytes_of, there = {}, {}, set()
        for number, effect in enumerate(self.recorder.effects):
            if effect.made > point:
                break
            part = WHOLE if effect.durable <= point or effect.follows else part_of(effect)
            if part == LOST or effect.needs and id(effect.needs) not in there:
                continue
            there.add(id(effect))
            if effect.kind in ("write", "resize"):
                bytes_of.setdefault(id(effect.node), []).append((number, part))
            elif effect.kind == "add":
                names.setdefault(id(effect.node), {})[effect.name] = effect.target
            else:
                names.get(id(effect.node), {}).pop(effect.name, None)
        tree = {}
        self.collect(self.recorder.root, "", names, bytes_of, tree)
        return tree

    def collect(self, folder, prefix, names, bytes_of, tree):
        for name, node in names.get(id(folder), {}).items():
            if node.is_folder:
                tree[prefix + name] = None
                self.collect(node, prefix + name + "/", names, bytes_of, tree)
            else:
                tree[prefix + name] = self.key_of(node, tuple(bytes_of.get(id(node), ())))

    def key_of(self, node, applied):
        """The hash of what a file holds after these (number of effect, part)."""
        known = self.contents.get((id(node), applied))
        if known:
            return known
        content = bytearray(node.start)
        for number, part in applied:
            effect = self.recorder.effects[number]
            if effect.kind == "resize":
                content = content[: effect.offset].ljust(effect.offset, b"\0")
                continue
            for offset, data in effect.pieces(part):
                content.extend(bytes(max(0, offset - len(content))))
                content[offset : offset + len(data)] = data
        key = hashlib.sha256(content).hexdigest()
        self.contents[id(node), applied] = key
        self.contents[key] = bytes(content)
        return key

    def write(self, tree, folder):
        for name, key in tree.items():
            if key is None:
                (folder / name).mkdir()
            else:
                (folder / name).write_bytes(self.contents[key])
