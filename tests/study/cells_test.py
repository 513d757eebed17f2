"""How scripts/study/cells.py runs trainings, and what it says they ran on. usage: cells_test.py [unittest's arguments]"""
import contextlib
import io
import pathlib
import sys
import tempfile
import threading
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "scripts/study"), str(ROOT / "scripts/bench")]

import cells  # noqa: E402
import environment  # noqa: E402


def program(text):
    return [sys.executable, "-c", text]


class Budget(unittest.TestCase):
    def test_fit_is_given_what_is_left_of_the_minutes_and_never_nothing(self):
        with unittest.mock.patch("time.monotonic") as clock:
            clock.return_value = 1000
            budget, endless = cells.TimeBudget(3), cells.TimeBudget(0)
            for now, flags, is_over in ((1000, "3.00", False), (1090, "1.50", False), (1179, "0.10", False), (1180, "0.10", True)):
                clock.return_value = now
                self.assertEqual((budget.flags(), budget.is_over()), (["--time-budget", flags], is_over))
                self.assertEqual((endless.flags(), endless.is_over()), ([], False))


class Trainings(unittest.TestCase):
    def run_all(self, trainings, at_once):
        with contextlib.redirect_stderr(io.StringIO()) as told, contextlib.redirect_stdout(io.StringIO()):
            return cells.train_all(trainings, at_once), told.getvalue()

    def test_one_that_fails_is_named_with_its_last_lines_and_the_others_end(self):
        ended = []
        failing = "import sys; print('because of it', file=sys.stderr); sys.exit(3)"
        trainings = {"a": lambda: ended.append("a"), "b": lambda: cells.said(program(failing)), "c": lambda: ended.append("c")}
        for at_once in (1, 3):
            with self.subTest(at_once=at_once):
                ended.clear()
                failed, told = self.run_all(trainings, at_once)
                self.assertEqual(failed, ["b"])
                self.assertEqual(sorted(ended), ["a", "c"])
                self.assertIn("b: failed:", told)
                self.assertIn("ended with 3\n  because of it", told)

    def test_so_is_one_whose_result_is_not_what_was_expected(self):
        failed, told = self.run_all({"a": lambda: {}["ending"]}, 1)
        self.assertEqual(failed, ["a"])
        self.assertIn("KeyError: 'ending'", told)

    def test_as_many_run_at_once_as_asked_for(self):
        both = threading.Barrier(2, timeout=30)  # broken, and so a failure, unless two wait at it together
        self.assertEqual(self.run_all({"a": both.wait, "b": both.wait}, 2)[0], [])

    def test_alone_a_program_that_fails_ends_the_script(self):
        with self.assertRaises(SystemExit) as ended:
            cells.said(program("import sys; sys.exit(4)"))
        self.assertIn("ended with 4", str(ended.exception.code))

    def test_the_last_line_of_the_output_is_taken(self):
        self.assertEqual(cells.said(program("print('first'); print('last')")), "last")


class Machines(unittest.TestCase):
    def test_the_device_is_named_or_else_the_processor(self):
        ran = [{"machine": {"processor": "P", "device": "NVIDIA H200"}}, {"machine": {"processor": "P"}}, {"machine": {"processor": "P"}}]
        self.assertEqual(cells.machines(ran), "NVIDIA H200, P")

    def test_only_a_cuda_device_is_kept_with_the_machine(self):
        self.assertEqual(sorted(environment.measured_on()), ["commit", "date", "processor"])
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict("os.environ", {"PATH": f"{folder}:/usr/bin:/bin"}):
            tool = pathlib.Path(folder) / "nvidia-smi"
            tool.write_text('#!/bin/sh\n[ "$3" = --id=1 ] && echo "NVIDIA H200"\n')
            tool.chmod(0o755)
            self.assertEqual(environment.measured_on("cuda:1")["device"], "NVIDIA H200")
            self.assertEqual(environment.measured_on("cuda:0")["device"], "cuda:0")  # the tool fails

    def test_a_copy_without_a_repository_is_told_its_commit(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(environment, "ROOT", pathlib.Path(folder)):
            with unittest.mock.patch.dict("os.environ", {"LETTERPRESS_COMMIT": "abc1234", "GIT_CEILING_DIRECTORIES": folder}):
                self.assertEqual(environment.machine()["commit"], "abc1234")


class Results(unittest.TestCase):
    def test_what_is_written_is_read_again_and_nothing_else_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "results" / "some.json"
            cells.write(file, {"size": 1}, [{"seed": 1}, {"seed": 2}])
            self.assertEqual(cells.read(file), [{"seed": 1}, {"seed": 2}])
            self.assertEqual([one.name for one in file.parent.iterdir()], ["some.json"])


if __name__ == "__main__":
    unittest.main()
