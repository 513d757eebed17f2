"""The console scripts of a wheel, with stand-ins for its programs and for torch."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Programs(unittest.TestCase):
    def setUp(self):
        self.site = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        package = self.site / "letterpress"
        (package / "bin").mkdir(parents=True)
        (package / "__init__.py").touch()
        shutil.copy(ROOT / "python/letterpress/_programs.py", package)
        for name in ("preprocess", "trainer", "predict"):
            program = package / "bin" / f"letterpress-{name}"
            program.write_text(f'#!/bin/sh\necho {name} "$@" "libraries $LD_LIBRARY_PATH"\nexit 3\n')
            program.chmod(0o755)

    def install_torch(self, version):
        (self.site / "torch").mkdir()
        (self.site / "torch" / "__init__.py").touch()
        metadata = self.site / f"torch-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")

    def run_script(self, name):
        code = f"import sys; sys.path.insert(0, {str(self.site)!r}); import letterpress._programs as p; p.{name}()"
        return subprocess.run([sys.executable, "-I", "-S", "-c", code, "--flag", "a b"], capture_output=True, text=True, env={})

    def test_preprocess_needs_no_torch_and_its_exit_code_is_the_scripts(self):
        result = self.run_script("preprocess")
        self.assertEqual((result.returncode, result.stdout), (3, "preprocess --flag a b libraries \n"))

    def test_the_others_get_the_libraries_of_torch(self):
        self.install_torch("2.11.0+cu130")
        for name in ("trainer", "predict"):
            result = self.run_script(name)
            self.assertEqual((result.returncode, result.stdout), (3, f"{name} --flag a b libraries {self.site}/torch/lib\n"))

    def test_predict_is_told_where_openvino_is_installed(self):
        self.install_torch("2.11.0")
        program = self.site / "letterpress" / "bin" / "letterpress-predict"
        program.write_text('#!/bin/sh\necho "openvino $LETTERPRESS_OPENVINO"\n')
        self.assertEqual(self.run_script("predict").stdout, "openvino \n")
        (self.site / "openvino").mkdir()
        (self.site / "openvino" / "__init__.py").touch()
        self.assertEqual(self.run_script("predict").stdout, f"openvino {self.site}/openvino/libs\n")

    def test_without_torch_they_say_which_is_needed(self):
        result = self.run_script("trainer")
        self.assertEqual(result.returncode, 78)
        self.assertEqual(result.stderr, "letterpress-trainer: needs torch 2.11, none is installed; pip install 'letterpress[train]'\n")

    def test_with_another_torch_they_say_both_versions(self):
        self.install_torch("2.9.1")
        result = self.run_script("predict")
        self.assertEqual(result.returncode, 78)
        self.assertEqual(result.stderr, "letterpress-predict: needs torch 2.11, version 2.9.1 is installed; pip install 'letterpress[train]'\n")

    def test_a_package_without_programs_says_so(self):
        shutil.rmtree(self.site / "letterpress" / "bin")
        result = self.run_script("preprocess")
        self.assertEqual(result.returncode, 78)
        self.assertEqual(result.stderr, "letterpress-preprocess: is not in this package, which was built without the programs; "
                                        "install a wheel of scripts/package.sh\n")


if __name__ == "__main__":
    unittest.main()
