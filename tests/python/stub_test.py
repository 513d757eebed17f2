"""The type stub: whoever reads it finds what the module has, with its documentation."""

import ast
import pathlib
import subprocess
import unittest

import drawn_store  # skips where the package is missing
import letterpress

STUB = pathlib.Path(letterpress.__file__).parent / "_letterpress.pyi"


class Stub(unittest.TestCase):
    def test_it_has_every_public_name_and_all_of_their_members(self):
        tree = ast.parse(STUB.read_text())
        found = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for name in letterpress.__all__:
            self.assertIn(name, found)
            members = {member.name for member in ast.walk(found[name]) if isinstance(member, ast.FunctionDef)}
            if name == "Error" or isinstance(found[name], ast.FunctionDef):
                continue
            self.assertLessEqual({member for member in vars(getattr(letterpress, name)) if not member.startswith("_")}, members)

    def test_what_is_public_is_documented(self):
        for name in letterpress.__all__:
            public = getattr(letterpress, name)
            self.assertTrue(public.__doc__, name)

    def test_the_version_is_the_programs(self):
        printed = subprocess.run([drawn_store.PREPROCESS, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(letterpress.__version__, printed.split())

    def test_the_marker_of_typed_packages_is_there(self):
        self.assertTrue(STUB.with_name("py.typed").exists())


if __name__ == "__main__":
    unittest.main()
