"""The Python that docs/how-to/python.md and the package's own documentation show runs, in a folder with a store."""

import contextlib
import io
import re
import unittest

from drawn_store import ROOT, SIDE, VIEWS, drawn_store

import letterpress


class Shown(unittest.TestCase):
    def test_the_pages_blocks_run_one_after_another(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/how-to/python.md").read_text(), re.M | re.S)
        self.assertGreaterEqual(len(blocks), 3)
        names, said = {}, io.StringIO()
        with drawn_store() as store, contextlib.chdir(store.parent), contextlib.redirect_stdout(said):
            for block in blocks:
                exec(block, names)
        self.assertIn(f"['train', 'val'] ['disc', 'square', 'cross'] {SIDE} {VIEWS}\n", said.getvalue())
        self.assertIn(f"(8, {SIDE}, {SIDE}, 3)", said.getvalue())
        self.assertEqual(names["first"].state_dict()["position"], 8)

    def test_every_argument_of_a_loader_is_explained(self):
        signature = letterpress.Loader.__init__.__doc__.split("\n")[0]
        for name in re.findall(r"(\w+): ", signature):
            if name not in ("self", "split", "rank", "world_size"):
                self.assertRegex(letterpress.Loader.__doc__, rf"\b{name}: ")


if __name__ == "__main__":
    unittest.main()
