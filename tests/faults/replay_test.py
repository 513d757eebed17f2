"""What scripts/proof/replay.py takes for possible after a power loss: states by hand. usage: replay_test.py [unittest's arguments]"""
import os
import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/proof"))

from replay import LOST, PARTS, WHOLE, Recorder, States  # noqa: E402


class Log:
    """Calls about a folder that holds old.txt ("old") and tmp/."""

    def __init__(self, folder):
        self.folder, self.inode = pathlib.Path(folder), 1 << 50
        (self.folder / "old.txt").write_text("old")
        (self.folder / "tmp").mkdir()
        self.recorder = Recorder(self.folder)

    def call(self, operation, path, other="", **more):
        fields = {"inode": 0, "size": -1, "offset": -1, "bytes": b"", "how": "ok", **more}
        name = str(self.folder / path) if path else str(self.folder)
        self.recorder.add(types.SimpleNamespace(operation=operation, path=name, other=other and str(self.folder / other), **fields))

    def create(self, path, content):
        self.inode += 1
        self.call("create", path, inode=self.inode)
        self.call("write", path, inode=self.inode, offset=0, bytes=content)
        return self.inode

    def sync_folder(self, path):
        self.call("sync", path, inode=os.stat(self.folder / path).st_ino)

    def states(self):
        """Every state at the end, as {name: content}."""
        states = States(self.recorder)
        pending = states.pending(self.recorder.calls)
        found = []

        def choose(rest, chosen):
            if not rest:
                tree = states.build(self.recorder.calls, lambda effect: chosen[id(effect)])
                found.append({name: states.contents[key] for name, key in tree.items() if key})
                return
            for part in PARTS if rest[0].kind == "write" else (LOST, WHOLE):
                choose(rest[1:], {**chosen, id(rest[0]): part})

        choose(pending, {})
        return found


class Replay(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.log = Log(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_nothing_happened_is_one_state(self):
        self.assertEqual(self.log.states(), [{"old.txt": b"old"}])

    def test_bytes_that_are_not_synced_are_lost_torn_at_512_or_zeros(self):
        self.log.create("new", b"x" * 1300)
        self.log.sync_folder("")
        contents = {state["new"] for state in self.log.states()}
        # A write of 1,300 bytes is torn at the sector below its middle: after 512.
        self.assertEqual(contents, {b"", b"x" * 1300, bytes(1300), b"x" * 512, bytes(512) + b"x" * 788})

    def test_a_name_needs_its_folder_synced_and_its_bytes_the_file(self):
        inode = self.log.create("new", b"x")
        self.log.call("sync", "new", inode=inode)
        self.assertIn({"old.txt": b"old"}, self.log.states())
        self.log.sync_folder("")
        self.assertEqual(self.log.states(), [{"old.txt": b"old", "new": b"x"}])

    def test_a_rename_is_atomic(self):
        inode = self.log.create("tmp/a", b"new")
        self.log.call("sync", "tmp/a", inode=inode)
        self.log.sync_folder("tmp")
        self.log.call("rename", "tmp/a", "old.txt", inode=inode)
        for state in self.log.states():
            self.assertIn(state["old.txt"], (b"old", b"new"))
            self.assertTrue(state["old.txt"] == b"new" or state["tmp/a"] == b"new")
        self.log.sync_folder("")
        self.assertEqual({state["old.txt"] for state in self.log.states()}, {b"new"})

    def test_a_folder_that_is_renamed_has_one_of_both_names(self):
        self.log.inode += 1
        self.log.call("mkdir", "tmp/made", inode=self.log.inode)
        made = self.log.inode
        inode = self.log.create("tmp/made/a", b"x")
        self.log.call("sync", "tmp/made/a", inode=inode)
        self.log.call("sync", "tmp/made", inode=made)
        self.log.sync_folder("tmp")
        self.log.call("rename", "tmp/made", "out", inode=made)
        before, after = {"old.txt": b"old", "tmp/made/a": b"x"}, {"old.txt": b"old", "out/a": b"x"}
        states = self.log.states()
        self.assertIn(before, states)
        self.assertIn(after, states)
        self.assertTrue(all(state in (before, after) for state in states))
        self.log.sync_folder("")
        self.assertTrue(all(state == after for state in self.log.states()))

    def test_changes_are_reordered(self):
        self.log.call("unlink", "old.txt")
        inode = self.log.create("new", b"")
        self.log.call("sync", "new", inode=inode)
        self.assertIn({"old.txt": b"old", "new": b""}, [{**state, "new": state.get("new", b"")} for state in self.log.states()])
        self.assertIn({"old.txt": b"old"}, self.log.states())
        self.assertIn({}, self.log.states())

    def test_a_folder_that_is_not_synced_takes_with_it_what_is_in_it(self):
        self.log.inode += 1
        self.log.call("mkdir", "made", inode=self.log.inode)
        made = self.log.inode
        inode = self.log.create("made/a", b"x")
        self.log.call("sync", "made/a", inode=inode)
        self.log.call("sync", "made", inode=made)
        self.assertIn({"old.txt": b"old"}, self.log.states())
        self.log.call("syncfs", "", inode=0)
        self.assertEqual(self.log.states(), [{"old.txt": b"old", "made/a": b"x"}])

    def test_a_call_that_failed_changed_nothing(self):
        self.log.call("unlink", "old.txt", how="5")
        self.assertEqual(self.log.states(), [{"old.txt": b"old"}])


if __name__ == "__main__":
    unittest.main()
