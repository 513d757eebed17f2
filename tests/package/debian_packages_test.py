"""The Debian packages of a build: what they hold, whose it is, what they depend on. cpack makes them anew.

usage: debian_packages_test.py BUILD [unittest's arguments]    BUILD: a build folder with the program in it
Exit code 77: skipped, a tool that makes packages is missing.
"""

import filecmp
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path()
PROGRAM = "letterpress-preprocess"


def output(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def make_packages(folder):
    output("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder, stderr=subprocess.STDOUT)
    return {output("dpkg-deb", "--field", file, "Package").strip(): file for file in folder.glob("*.deb")}


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.work.name)
        cls.files = make_packages(folder / "packages")
        cls.roots = {name: folder / name for name in cls.files}
        for name, file in cls.files.items():
            output("dpkg-deb", "--extract", file, cls.roots[name])
        cls.root = cls.roots[PROGRAM]
        cls.program = cls.root / "usr/bin" / PROGRAM

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def field(self, package, name):
        return output("dpkg-deb", "--field", self.files[package], name).strip()

    def commands(self):
        return re.findall(r"^## (\S+)$", output(self.program, "reference"), re.M)

    def test_there_are_two(self):
        self.assertEqual(sorted(self.files), ["letterpress-dev", PROGRAM])

    def test_the_program_depends_on_what_it_links_and_never_on_torch(self):
        depends = self.field(PROGRAM, "Depends")
        for library in ("libc6", "libhdf5", "libopencv-core", "libtbb", "libturbojpeg"):
            self.assertRegex(depends, rf"(^|, ){library}")
        for package in self.files:
            self.assertNotIn("torch", self.field(package, "Depends"))
        self.assertNotIn("imgcodecs", depends)
        self.assertRegex(self.field(PROGRAM, "Suggests"), r"^libopencv-imgcodecs\d{3}, libpangocairo-1.0-0, fonts-noto-core, fonts-noto-cjk$")
        self.assertEqual(self.field("letterpress-dev", "Depends"), "libhdf5-dev, libdeflate-dev")

    def test_a_package_says_first_what_it_is(self):
        for package in self.files:
            synopsis = self.field(package, "Description").splitlines()[0]
            self.assertTrue(0 < len(synopsis) < 80, synopsis)

    def test_everything_is_roots_and_below_usr(self):
        for package, file in self.files.items():
            for line in output("dpkg-deb", "--contents", file).splitlines():
                mode, owner, *_, path = line.split()
                executable = mode.startswith("d") or "/bin/" in path or path.endswith(".sh")
                self.assertEqual((mode[1:], owner), ("rwxr-xr-x" if executable else "rw-r--r--", "root/root"), line)
                self.assertRegex(path, r"^\./(usr/.*)?$", package)

    def test_the_program_and_each_command_have_a_page_that_man_shows(self):
        folder = self.root / "usr/share/man/man1"
        pages = [PROGRAM, *(f"{PROGRAM}-{command}" for command in self.commands())]
        self.assertEqual(sorted(page.name for page in folder.iterdir()), sorted(f"{page}.1.gz" for page in pages))
        for page in pages:
            shown = subprocess.run(
                ["man", "--warnings", "-P", "cat", "-l", folder / f"{page}.1.gz"],
                env=os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100"},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=True,
            )
            self.assertEqual(shown.stderr, "", page)
            self.assertRegex(shown.stdout, rf"NAME\n +{page} +- ")

    def test_completions_are_what_the_program_prints(self):
        share = self.root / "usr/share"
        for shell, file in (
            ("bash", f"bash-completion/completions/{PROGRAM}"),
            ("zsh", "zsh/vendor-completions/_letterpress_preprocess"),
            ("fish", f"fish/vendor_completions.d/{PROGRAM}.fish"),
        ):
            self.assertEqual((share / file).read_text(), output(self.program, "completion", shell))

    def test_the_timer_runs_the_script_of_the_package_as_a_user_that_it_declares(self):
        units = self.root / "usr/lib/systemd/system"
        self.assertEqual(
            sorted(unit.name for unit in units.iterdir()),
            ["letterpress-rebuild@.service", "letterpress-rebuild@.timer"],
        )
        service = (units / "letterpress-rebuild@.service").read_text()
        script = re.search(r"^ExecStart=(\S+)", service, re.M)[1]
        self.assertTrue(os.access(self.root / script[1:], os.X_OK), script)
        user = re.search(r"^User=(\S+)", service, re.M)[1]
        self.assertIn(f"\nu {user} ", (self.root / "usr/lib/sysusers.d/letterpress.conf").read_text())

    def test_each_has_its_licence_and_history(self):
        for package, root in self.roots.items():
            folder = root / "usr/share/doc" / package
            self.assertIn("Apache-2.0", (folder / "copyright").read_text())
            history = gzip.decompress((folder / "changelog.gz").read_bytes()).decode()
            self.assertTrue(history.startswith(f"letterpress ({self.field(package, 'Version')}) "), history)
        self.assertIn("==== libcli11-dev", (self.root / "usr/share/doc" / PROGRAM / "notices").read_text())

    def test_the_library_is_what_is_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            output("cmake", "--install", BUILD, "--component", "development", "--prefix", folder)
            installed = pathlib.Path(folder)
            files = [file.relative_to(installed) for file in installed.rglob("*") if file.is_file()]
            self.assertTrue({".h", ".a", ".cmake"} <= {file.suffix for file in files})
            packaged = self.roots["letterpress-dev"] / "usr"
            _, different, absent = filecmp.cmpfiles(installed, packaged, map(str, files), shallow=False)
            self.assertEqual((different, absent), ([], []))

    def test_lintian_has_nothing_to_say(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian here")
        said = subprocess.run(
            ["lintian", "--allow-root", *self.files.values()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.assertEqual([line for line in said.stdout.splitlines() if not line.startswith("N:")], [])


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    missing = [tool for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file", "man") if not shutil.which(tool)]
    if missing:
        print(f"skipped: {', '.join(missing)} missing; scripts/setup.sh --tests installs them")
        sys.exit(77)
    unittest.main()
