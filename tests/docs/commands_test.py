"""Runs every command that README and docs show, in a folder of its own, with the drawn sample. What
cannot run here (GPUs, clusters, cron) is checked against the reference of flags, and so is
every flag that the text names.

usage: commands_test.py BIN [unittest's arguments]    BIN: folder of the programs

Pages run as a reader would run them: README and tutorial begin with nothing; the tutorial makes
sample, store and run, and each other page begins with these, in the same folder. To be quick, the numbers in SMALLER are replaced, and
nothing else. Exit code 77: skipped, the Python packages of the samples are missing.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import pages

SMALLER = {"--pictures 200": "--pictures 18", "--epochs 30": "--epochs 1"}
FIRST = "docs/tutorial.md"
BIN = pathlib.Path()


def small(text):
    for shown, run in SMALLER.items():
        text = text.replace(shown, run)
    return text


def environment(folder):
    programs = {
        f"LETTERPRESS_{name.upper()}": str(BIN / f"letterpress-{name}")
        for name in ("preprocess", "trainer")
    }
    path = f"{BIN}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    return (
        os.environ | programs | {"PATH": path, "OMP_WAIT_POLICY": "passive", "TMPDIR": str(folder)}
    )


def run_block(block, folder):
    """None, or what went wrong."""
    result = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", small(block.text)],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if result.returncode == 0:
        return None
    return f"{block.place}: exit code {result.returncode} of\n{block.text}which said\n{result.stdout[-2000:]}"


def run_page(page, folder):
    for block in pages.blocks_of(page.read_text(), page.relative_to(pages.ROOT)):
        failure = None if block.not_run else run_block(block, folder)
        if failure:
            return failure
    return None


def copy_small_link_large(source, target):
    """Checkpoints and shards are never written in place."""
    (os.link if os.path.getsize(source) > 1 << 20 else shutil.copy2)(source, target)


def begin(folder, made):
    """The folder as the repository's root looks to a reader who has done the tutorial, which is kept in `made`."""
    shutil.rmtree(folder, ignore_errors=True)
    if made.exists():
        shutil.copytree(made, folder, symlinks=True, copy_function=copy_small_link_large)
        return
    folder.mkdir()
    for part in ("samples", "scripts"):
        (folder / part).symlink_to(pages.ROOT / part)


def keep(folder, made):
    made.mkdir()
    for part in ("samples", "scripts", "sample", "store", "run"):
        (folder / part).rename(made / part)


class Commands(unittest.TestCase):
    def test_they_run(self):
        first = pages.ROOT / FIRST
        with tempfile.TemporaryDirectory() as work:
            folder, made = pathlib.Path(work) / "folder", pathlib.Path(work) / "made"
            begin(folder, made)
            self.assertIsNone(run_page(first, folder))
            keep(folder, made)
            failures = []
            for page in pages.pages():
                if page == first or all(
                    block.not_run for block in pages.blocks_of(page.read_text(), page)
                ):
                    continue
                began = time.monotonic()
                begin(folder, made if page.name != "README.md" else pathlib.Path(work) / "nothing")
                failures += filter(None, [run_page(page, folder)])
                print(f"{page.relative_to(pages.ROOT)}: {time.monotonic() - began:.1f} s")
            self.assertEqual(failures, [], "\n".join(failures))

    def test_the_programs_know_their_flags(self):
        known = pages.KnownFlags(pages.FLAGS.read_text())
        faults = [
            fault
            for page in pages.pages()
            if page != pages.FLAGS
            for fault in pages.faults_of(known, page.read_text(), page.relative_to(pages.ROOT))
        ]
        self.assertEqual(faults, [], "\n".join(faults))

    def test_every_number_that_is_made_smaller_is_shown_somewhere(self):
        text = "".join(page.read_text() for page in pages.pages())
        for shown in SMALLER:
            self.assertIn(shown, text)


class PlantedFaults(unittest.TestCase):
    """The check itself: what is wrong must be found."""

    REFERENCE = """## letterpress-preprocess
### build
| `--store` | TEXT |
## letterpress-predict
| `--input` | TEXT |
"""

    def faults(self, command, text="```sh\n{}\n```\n"):
        return pages.faults_of(pages.KnownFlags(self.REFERENCE), text.format(command), "page.md")

    def test_what_is_there_is_no_fault(self):
        for command in (
            "letterpress-preprocess build --store x --config y  # --comment",
            "letterpress-predict --input x",
            "mpirun -n 2 letterpress-predict --input=x | tee log",
            'x=$(letterpress-preprocess build --store "$y")',
            "scripts/rebuild.sh --store x -- --store y",
            "cmake --preset release",
            "ls --all",
            "source <(letterpress-preprocess completion bash)",
        ):
            self.assertEqual(self.faults(command), [], command)

    def test_what_is_not_there_is_found(self):
        for command, fault in (
            (
                "letterpress-preprocess build --stroe x",
                "letterpress-preprocess build: has no flag --stroe",
            ),
            ("cd x && letterpress-predict --out x", "letterpress-predict: has no flag --out"),
            (
                "torchrun --nnodes 2 letterpress-predict \\\n  --out x",
                "letterpress-predict: has no flag --out",
            ),
            (
                "x=$(letterpress-preprocess build --x)",
                "letterpress-preprocess build: has no flag --x",
            ),
            (
                "letterpress-preprocess biuld --store x",
                "letterpress-preprocess biuld: no such command",
            ),
            ("letterpress-trainer fit", "letterpress-trainer: no such program"),
            ("scripts/absent.sh", "scripts/absent.sh: no such file"),
            ("scripts/test.sh --absent", "scripts/test.sh: has no flag --absent"),
            (
                "scripts/rebuild.sh --store x -- --absent",
                "letterpress-preprocess build: has no flag --absent",
            ),
            ("cmake --workflow --preset absent", "cmake: has no preset absent"),
        ):
            self.assertEqual(self.faults(command), ["page.md:1: " + fault], command)

    def test_so_is_an_unknown_flag_in_the_text(self):
        self.assertEqual(
            self.faults("--absent 5", "Use `{}`."),
            ["page.md: `--absent 5`: no program has --absent"],
        )
        self.assertEqual(self.faults("--store x", "Use `{}`."), [])

    def test_lines_of_a_console_are_commands_and_other_blocks_are_not(self):
        self.assertEqual(
            len(self.faults("$ letterpress-predict --out x\nsaid --this", "```console\n{}\n```\n")),
            1,
        )
        self.assertEqual(self.faults("letterpress-predict --out x", "```text\n{}\n```\n"), [])

    def test_a_command_that_fails_is_told_with_its_place_and_what_it_said(self):
        with tempfile.TemporaryDirectory() as folder:
            failure = run_block(
                pages.Block("page.md:3", "echo alas\nfalse | true\n"), pathlib.Path(folder)
            )
        self.assertEqual(
            failure, "page.md:3: exit code 1 of\necho alas\nfalse | true\nwhich said\nalas\n"
        )

    def test_a_block_that_is_not_run_says_why(self):
        block = pages.blocks_of("<!-- not run: needs a GPU -->\n```sh\nx\n```\n", "page.md")[0]
        self.assertEqual(block, pages.Block("page.md:2", "x\n", "needs a GPU"))


class Pages(unittest.TestCase):
    def test_the_readme_is_one_page(self):
        self.assertLessEqual(len((pages.ROOT / "README.md").read_text().splitlines()), 150)

    def test_links_outside_docs_name_files(self):  # mkdocs checks those of docs
        for page in (
            pages.ROOT / "README.md",
            pages.ROOT / "CONTRIBUTING.md",
            pages.ROOT / "samples" / "README.md",
        ):
            for target in re.findall(
                r"\]\(([^)#:]+)(?:#[^)]*)?\)", pages.prose_of(page.read_text())
            ):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    missing = [package for package in ("h5py", "xxhash", "PIL") if not importlib.util.find_spec(package)]
    if missing:
        print(f"skipped: {', '.join(missing)} missing; scripts/setup.sh --tests installs them")
        sys.exit(77)
    unittest.main()
