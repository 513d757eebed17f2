"""How scripts/bench handles targets that nobody measured, peers that fail, and pixels that are not the store's.

usage: scripts_test.py [unittest's arguments]
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bench"
sys.dont_write_bytecode = True
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "peers")]

import busy  # noqa: E402
import busy_page  # noqa: E402
import environment  # noqa: E402
import measure  # noqa: E402
import readme  # noqa: E402


def script(name):
    loader = importlib.machinery.SourceFileLoader(f"bench_{name}", str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


def contender(name, values, threads=2, peer=False):
    return measure.Contender(name, "", threads, lambda rest=iter(values): next(rest), peer=peer)


def failing(name, values, failure, peer=True):
    def run(rest=iter(values)):
        value = next(rest, None)
        if value is None:
            raise failure
        return value

    return measure.Contender(name, "", 2, run, peer=peer)


def measured(contenders, runs=1):
    with contextlib.redirect_stderr(io.StringIO()):
        missing = {}
        return measure.interleave(contenders, runs, missing), missing


class Gpu(unittest.TestCase):
    """What scripts/bench/gpu makes of what the programs print; the numbers are made up, the texts are theirs."""

    LINES = {"page-locked memory to the device": {"rows_per_s": 20000.0}, "bytes into the device's memory": {"rows_per_s": 19000.0, "share": 0.95}}

    def result(self):
        gpu = script("gpu")
        rows = gpu.rows_of({"side": 416, "batch": 16, "lines": self.LINES})
        steps = []
        for precision, plain in (("fp32", 400.0), ("tf32", 800.0)):
            for graph, rate in ((False, plain), (True, 2 * plain)):
                steps.append(gpu.step_of({"need": {"rows_per_s": rate}}, "yolov8n", precision, graph, 16))
        head = "epoch,step,loss,lr,images_per_s,data_wait_percent,seconds\n"
        ranks = [gpu.training_of(head + f"1,9,1,0.1,3,9,1\n2,18,1,0.1,{rate},{wait},2\n", n) for n, rate, wait in ((1, 400, 0.5), (2, 760, 1))]
        machine = {"processor": "P", "cores": 8, "commit": "abc", "date": "2030-01-01"}
        return {"devices": gpu.devices_in("NVIDIA H200, 143771, 570.1\nNVIDIA H200, 143771, 570.1\n"), "rows": rows, "steps": steps, "ranks": ranks,
                "memory": {"model": "yolov8n", "batch": 16, "forecast": 3 << 30, "peak": 4 << 30}, "models": "yolov8n", "model": "yolov8n", "batch": 16, "runs": 3,
                "machine": machine}

    def test_numbers_are_taken_from_what_the_programs_print(self):
        result = self.result()
        self.assertEqual(result["devices"][1], {"name": "NVIDIA H200", "memory_mib": 143771, "driver": "570.1"})
        self.assertEqual(script("gpu").devices_in("No devices were found\n"), [])
        self.assertAlmostEqual(result["rows"]["share_of_bus"], 0.95)
        self.assertAlmostEqual(result["rows"]["bus_gb_per_s"], 20000 * 3 * 416 * 416 / 1e9)
        self.assertAlmostEqual(result["steps"][0]["ms"], 40)
        self.assertEqual(result["ranks"][1], {"ranks": 2, "images_per_s": 760, "data_wait": 0.01})

    def test_trainings_are_on_powers_of_two_and_all_devices(self):
        counts = {n: script("gpu").rank_counts(n) for n in (1, 2, 3, 4, 6, 8)}
        self.assertEqual(counts, {1: [1], 2: [1, 2], 3: [1, 2, 3], 4: [1, 2, 4], 6: [1, 2, 4, 6], 8: [1, 2, 4, 8]})

    def test_the_page_has_a_table_of_each(self):
        page = script("gpu").page(self.result())
        for line in (
            "2 x NVIDIA H200 (driver 570.1); P, 8 cores; commit abc, 2030-01-01; medians of 3 runs.",
            "| side 416, batches of 16 | 19,000 | 20,000 | 10.38 | 0.95 |",
            "| a training step, 16 pictures of side 416 | ms | times as fast as fp32 | ms with a CUDA graph | times as fast as without |",
            "| yolov8n, fp32 | 40.00 | 1.00 | 20.00 | 2.00 |",
            "| yolov8n, tf32 | 20.00 | 2.00 | 10.00 | 2.00 |",
            "| 1 | 400 | 1.00 | 0.50 % |",
            "| 2 | 760 | 0.95 | 1.00 % |",
            "| yolov8n, 16 pictures | 3.00 | 4.00 | 0.75 |",
        ):
            self.assertIn(line, page.splitlines())

    def test_the_page_of_a_run_that_was_stopped_says_what_is_not_measured(self):
        result = self.result()
        del result["ranks"], result["memory"]
        result["steps"].pop()
        page = script("gpu").page(result | {"runs": 1}).splitlines()
        self.assertTrue(page[0].endswith("2030-01-01; one run."), page[0])
        self.assertIn("| yolov8n, tf32 | 20.00 | 2.00 | not measured |  |", page)
        self.assertEqual(page[-1], "Stopped before its end, so not measured: trainings on one to all devices, memory of a training.")

    TRAINER = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
value = lambda flag: words[words.index(flag) + 1]
if words[0] == "bench":
    assert value("--device") == "cuda:0" and "--json" in words, words
    lines = {"page-locked memory to the device": {"rows_per_s": 20000.0}, "bytes into the device's memory": {"rows_per_s": 19000.0}}
    graph = "--cuda-graph" in words and value("--cuda-graph") == "on"
    rate = 400.0 * (1 + ("--tf32" in words)) * (1 + graph)
    print(json.dumps({"side": 416, "batch": 16, "lines": lines, "need": {"rows_per_s": rate}}))
elif "--dry-run" in words:
    print("memory   4 GiB")
    print(json.dumps({"memory": {"peak": 3 << 30}}))
else:
    ranks = int(value("--gpus"))
    assert int(value("--batch")) == 16 * ranks, words
    out = pathlib.Path(value("--out"))
    out.mkdir()
    (out / "results.csv").write_text(f"epoch,images_per_s,data_wait_percent\\n1,{400 * ranks},0.5\\n")
    print(json.dumps({"peak_memory": 4 << 30}))
"""

    def test_all_is_measured_by_the_trainer_s_own_commands(self):
        gpu = script("gpu")
        gpu.devices = lambda: 3 * [{"name": "NVIDIA H200", "memory_mib": 143771, "driver": "570.1"}]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            trainer = folder / "letterpress-trainer"
            trainer.write_text(self.TRAINER)
            trainer.chmod(0o755)
            words = ["gpu", "store", "--programs", name, "--json", name + "/gpu.json", "--page", name + "/gpu.md", "--models", "yolov8n"]
            said = io.StringIO()
            with unittest.mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(gpu.main(), 0)
            result = json.loads((folder / "gpu.json").read_text())
            self.assertIn(said.getvalue().strip(), (folder / "gpu.md").read_text())
        self.assertEqual([one["ranks"] for one in result["ranks"]], [1, 2, 3])
        self.assertEqual({(one["precision"], one["cuda_graph"]): one["pictures_per_s"] for one in result["steps"]}[("tf32", True)], 1600)
        self.assertEqual(len(result["steps"]), 8)
        self.assertEqual(result["memory"], {"model": "yolov8n", "batch": 16, "forecast": 3 << 30, "peak": 4 << 30})

    def test_what_was_measured_before_it_was_stopped_is_not_measured_again(self):
        gpu = script("gpu")
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "gpu.json"
            about = {"devices": ["a"], "batch": 16}
            gpu.Kept(file, about).add("steps", {"model": "yolov8n", "precision": "bf16", "ms": 8.4})
            again, other = gpu.Kept(file, about), gpu.Kept(file, about | {"batch": 32})
            self.assertTrue(again.has("steps", model="yolov8n", precision="bf16"))
            self.assertFalse(again.has("steps", model="yolov8n", precision="fp16"))
            self.assertFalse(again.has("ranks", ranks=1))
            self.assertFalse(other.has("steps", model="yolov8n", precision="bf16"))
            again.keep("rows", 3)
            self.assertEqual(json.loads(file.read_text()), about | {"steps": [{"model": "yolov8n", "precision": "bf16", "ms": 8.4}], "rows": 3})

    def test_without_a_device_it_is_skipped_and_says_so(self):
        gpu = script("gpu")
        gpu.devices = lambda: []
        gpu.parse = lambda: None
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(gpu.main(), 77)
        self.assertEqual(said.getvalue(), "scripts/bench/gpu: skipped: nvidia-smi finds no CUDA device on this machine; nothing was measured\n")

    def test_the_documentation_says_not_measured_until_there_is_a_result(self):
        with unittest.mock.patch.object(readme, "results_of", lambda kind: []):
            self.assertIn("Its tables are not measured yet", readme.gpu_section())


class Busy(unittest.TestCase):
    @staticmethod
    def rows(alone, before, slower):
        return [{"competitors": 0, "spins": 0, "images_per_s": alone, "slower": 1}, {"competitors": 0, "spins": 9000, "images_per_s": before, "slower": 1},
                {"competitors": 2, "spins": 0, "images_per_s": alone / slower, "slower": slower}]

    def test_what_is_needed_stands_beside_what_was_got_and_a_miss_is_said(self):
        beside, alone = busy_page.targets(self.rows(10, 8, 2.5))
        self.assertEqual((beside["name"], readme.target_cells(beside)), ("beside 2 programs: times slower than alone", ["<= 2.2", "2.5 (missed)"]))
        self.assertEqual((alone["name"], readme.target_cells(alone)), ("alone: images/s / those with 9,000 spins", [">= 0.98", "1.25"]))
        beside, alone = busy_page.targets(self.rows(9.7, 10, 2.2))
        self.assertEqual(readme.target_cells(beside), ["<= 2.2", "2.2"])
        self.assertEqual(readme.target_cells(alone), [">= 0.98", "0.97 (missed)"])

    def test_bound_threads_stand_beside_those_that_are_not_and_what_nobody_measured_says_so(self):
        rows = self.rows(10, 8, 2.5)
        self.assertIn("| 0 | 10 images/s | 1 | not measured |  | 8 images/s | 1 |", busy_page.table(rows))
        self.assertIn("| 2 | 4 images/s | 2.5 | not measured |  | not measured |  |", busy_page.table(rows))
        rows.append({"competitors": 2, "spins": 0, "bound": True, "images_per_s": 3, "slower": 3.5})
        self.assertIn("| 2 | 4 images/s | 2.5 | 3 images/s | 3.5 | not measured |  |", busy_page.table(rows))
        self.assertEqual(len(busy_page.targets([row for row in rows if not row["spins"]])), 1)

    def test_bound_and_unbound_are_measured_in_turn_and_the_environment_binds_nothing(self):
        program = "import json, os, sys; print(json.dumps({'pictures_per_s': 5 + any('OMP' in name for name in os.environ)}))"
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.dict("os.environ", {"GOMP_SPINCOUNT": "5", "OMP_PROC_BIND": "true"}):
            trainer = pathlib.Path(name) / "trainer"
            trainer.write_text(f"#!{sys.executable}\n{program}\n")
            trainer.chmod(0o755)
            (pathlib.Path(name) / "snapshots").mkdir()
            (pathlib.Path(name) / "snapshots" / "00000001.json").write_text('{"snapshot": {"identity": {"side": 96}}}')
            words = ["busy.py", name, "--trainer", str(trainer), "--runs", "1", "--most", "1", "--settings", "own,bound", "--json", name + "/busy.json"]
            with unittest.mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()):
                with self.assertRaisesRegex(SystemExit, "no thread was bound"):  # it ends at once
                    busy.main()
                with unittest.mock.patch.object(busy, "bind", return_value=True), unittest.mock.patch.object(busy, "BIND_EVERY_S", 0.001):
                    busy.main()
            result = json.loads((pathlib.Path(name) / "busy.json").read_text())
        self.assertEqual(result["size"], 96)
        rows = result["rows"]
        self.assertEqual([(row["competitors"], row["bound"], row["images_per_s"]) for row in rows], [(0, False, 5), (0, True, 5), (1, False, 5), (1, True, 5)])

    def test_the_threads_that_compute_most_get_a_core_each_once_they_do(self):
        program = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start(); print('runs', flush=True)\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
            self.assertEqual(child.stdout.readline(), b"runs\n")
            self.assertFalse(busy.bind(child.pid, [busy.cores()[0]] * 3))
            while not busy.bind(child.pid, busy.cores()[:1]):
                pass
            busiest, waiting = busy.seconds_of_threads(child.pid)
            self.assertEqual(busiest, child.pid)
            self.assertEqual(os.sched_getaffinity(busiest), {busy.cores()[0]})
            self.assertEqual(os.sched_getaffinity(waiting), {busy.cores()[0]})
            child.kill()


class Machines(unittest.TestCase):
    def test_time_that_the_host_took_is_reported_if_it_matters(self):
        machine = {"processor": "P", "cores": 2}
        self.assertEqual(measure.machine_text(machine), "P, 2 cores")
        self.assertEqual(measure.machine_text(machine | {"stolen": 0.004}), "P, 2 cores")
        self.assertEqual(measure.machine_text(machine | {"stolen": 0.347}), "P, 2 cores (of whose time the host took 35 % for others)")

    def test_stolen_time_is_that_of_this_run(self):
        self.assertTrue(0 <= environment.machine()["stolen"] <= 1)
        stolen, total = environment.processor_times()
        self.assertTrue(0 <= stolen <= total)


class Measure(unittest.TestCase):
    def test_a_peer_that_fails_in_a_later_run_is_a_reason_and_the_others_go_on(self):
        there, missing = measured([contender("ours", [3, 1, 2]), failing("FFCV: bytes", [5], SystemExit("bench: x\n boom: no memory\n"))], 3)
        self.assertEqual([one.name for one in there], ["ours"])
        self.assertEqual(there[0].median, 2)
        self.assertEqual(missing, {"FFCV: bytes": "run 2: boom: no memory"})

    def test_a_program_of_ours_that_fails_ends_the_benchmark(self):
        with self.assertRaises(SystemExit):
            measured([failing("ours", [1], SystemExit("boom"), peer=False)], 2)

    def test_a_target_that_was_not_measured_is_missed_with_the_reason(self):
        medians = measure.Medians({"ours": 6.0, "theirs": 4.0}, {"FFCV": "pip install ffcv: no wheel"})
        met = medians.target("ours / theirs", 1, ["ours", "theirs"], lambda a, b: a / b).as_json()
        self.assertEqual((met["got"], met["met"]), (1.5, True))
        missed = medians.target("ours / FFCV", 5, ["ours", "FFCV: bytes"], lambda a, b: a / b).as_json()
        self.assertEqual((missed["got"], missed["met"], missed["reason"]), (None, False, "FFCV: pip install ffcv: no wheel"))
        rows = list(measure.target_rows([met, missed]))
        self.assertEqual(rows[0], ["ours / theirs", ">= 1", "1.500", "met"])
        self.assertEqual(rows[1], ["ours / FFCV", ">= 5", "-", "missed: not measured (FFCV: pip install ffcv: no wheel)"])
        self.assertEqual(readme.target_cells(missed), [">= 5", "not measured"])

    def test_at_most_turns_the_comparison_over(self):
        self.assertTrue(measure.Target("a", 1.03, 1.02, at_most=True).as_json()["met"])
        self.assertFalse(measure.Target("a", 1.03, 1.04, at_most=True).as_json()["met"])


def loader_round(warm):
    lines = {"bytes, warm": warm, "memcpy": 100, "float32, warm": 45, "conversion to float32": 50}
    return {"lines": {name: {"rows_per_s": rate} for name, rate in lines.items()}, "verification": 0.3, "waiting": 0.002}


class Loader(unittest.TestCase):
    def test_every_target_is_there_whatever_is_missing(self):
        loader = script("loader")
        ours = loader.Ours("store", pathlib.Path("bin"))
        ours.rounds = [loader_round(80), loader_round(90), loader_round(88)]
        missing = {"FFCV": "no wheel", "ceiling: disk": "fio is not installed", "letterpress: bytes, direct": "io_uring: Operation not permitted"}
        ours_in_python = contender("letterpress in Python: bytes", [99], peer=True)  # faster than every peer, but none of them
        there, _ = measured([contender("letterpress: bytes", [90]), contender("letterpress: float32", [45]), contender("h5py: bytes", [30], peer=True),
                             ours_in_python])
        found = {target.name: target.as_json() for target in loader.targets(there, ours, missing)}
        self.assertEqual(found["bytes / memcpy"]["got"], 0.88)
        self.assertEqual(found["float32 / conversion"]["got"], 0.9)
        self.assertEqual(found["bytes / the fastest peer"]["got"], 3)
        self.assertEqual(found["bytes / FFCV"]["reason"], "FFCV: no wheel")
        self.assertEqual(found["float32 / FFCV"]["reason"], "FFCV: no wheel")
        self.assertEqual(found["float32 / the fastest peer"]["reason"], "no peer's rate of float32")
        self.assertIn("Operation not permitted", found["rows past the page cache / fio"]["reason"])
        self.assertEqual(found["bytes in Python / in C++"]["got"], 1.1)
        self.assertEqual(found["float32 in Python / in C++"]["reason"], "no letterpress in Python: float32")
        self.assertEqual(found["float32 in Python / DataLoader + h5py"]["reason"], "no letterpress in Python: float32")
        self.assertEqual(len(found), 14)


class Train(unittest.TestCase):
    def test_the_step_is_held_against_the_peers_time_and_verification_against_the_step(self):
        train = script("train")
        ours = train.Ours(pathlib.Path("."), None, None)
        # A row takes 1 ms, checked 1.5 ms; a step takes 100 ms a row: half a hundredth more.
        lines = {"float32, warm": 1000, "float32, warm, each row verified": 1000 / 1.5}
        ours.rounds = [{"lines": {name: {"rows_per_s": rate} for name, rate in lines.items()}, "need": {"rows_per_s": 10}}]
        ours.waits = [0.5, 0.001, 0.002, 0.003, 0.001]
        there, missing = measured([contender("letterpress", [10]), contender("PyTorch eager", [10.2], peer=True)])
        found = {target.name: target.as_json() for target in train.targets(there, ours, missing)}
        self.assertAlmostEqual(found["time of a step / PyTorch eager"]["got"], 1.02)
        self.assertTrue(found["time of a step / PyTorch eager"]["met"])
        self.assertEqual(found["data_wait"]["got"], 0.002)
        self.assertAlmostEqual(found["verification / time of a step"]["got"], 0.005)
        there, missing = measured([contender("letterpress", [10]), failing("PyTorch eager", [], SystemExit("layers of kind x are not built here"))])
        missed = train.targets(there, ours, missing)[0].as_json()
        self.assertEqual(missed["reason"], "PyTorch eager: run 1: layers of kind x are not built here")


class Preprocess(unittest.TestCase):
    def test_a_peer_that_is_not_there_leaves_its_targets_as_missed(self):
        preprocess = script("preprocess")
        rates = {"ceiling: decode_and_row_write": 100, "ceiling: decode_to_side_and_row_write": 200, "letterpress: letterbox": 190,
                 "letterpress: keras-yolo3": 60, "letterpress: detect": 50, "keras-yolo3": 1, "Ultralytics": 4}
        there = [contender(name, [rate * threads], threads) for name, rate in rates.items() for threads in (1, 2)]
        there += [contender(f"letterpress: {count:,} pictures", [1000 + count / 1000], 2) for count in preprocess.SMALL]
        there, _ = measured(there)
        found = {target.name: target.as_json() for target in preprocess.targets(there, {"Ultralytics, RAM": "run 1: killed"}, 416)}
        self.assertEqual(found["letterbox / the faster ceiling (to RGB), 1 thread"]["got"], 0.95)
        self.assertEqual(found["keras-yolo3, augmented rows / its get_random_data, 1 thread"]["got"], 60)
        self.assertEqual(found["detect recipe / Ultralytics' loader"]["got"], 12.5)
        self.assertEqual(found["detect recipe / the same cached in memory"]["reason"], "Ultralytics, RAM: run 1: killed")
        self.assertAlmostEqual(found["memory per further picture, KiB"]["got"], 0.001)


class Compression(unittest.TestCase):
    def test_each_set_has_class_names_of_its_own_or_none(self):
        compression = script("compression")
        old, sys.argv = sys.argv, ["compression", "--set", "BCCD", "416", "bccd", "--set", "DeepPCB", "640", "train.txt", "classes.txt"]
        try:
            bccd, deeppcb = compression.parse().set
        finally:
            sys.argv = old
        self.assertEqual((bccd.name, bccd.size, bccd.labels, bccd.classes), ("BCCD", 416, "bccd", None))
        self.assertEqual((deeppcb.size, deeppcb.classes), (640, "classes.txt"))
        words = compression.Store(pathlib.Path("s"), "none", bccd, type("Arguments", (), {"programs": "bin"})).build_words
        self.assertNotIn("--classes", words)


class Rows(unittest.TestCase):
    """Needs numpy but not h5py: the folder has its checksums already."""

    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        sys.modules.setdefault("h5py", type(sys)("h5py"))
        import rows

        self.numpy, self.rows = numpy, rows
        self.pictures = numpy.arange(5 * 4 * 4 * 3, dtype=numpy.uint8).reshape(5, 4, 4, 3)
        self.wanted = {rows.checksum(picture) for picture in self.pictures}

    def test_bytes_and_numbers_of_the_same_pixels_have_one_checksum(self):
        every = self.numpy.arange(256, dtype=self.numpy.uint8)
        self.assertEqual(self.rows.checksum(every), self.rows.checksum(self.rows.normalised(every)))
        self.assertEqual(self.rows.checksum(every), self.rows.checksum(every / self.numpy.float32(255)))
        self.assertEqual(len(self.wanted), 5)

    def test_other_pixels_and_rows_left_out_are_refused(self):
        self.rows.check_pass(iter([self.pictures[:3], self.rows.normalised(self.pictures[3:])]), 5, self.wanted)
        other = self.pictures.copy()
        other[1, 0, 0, 0] ^= 1
        with self.assertRaisesRegex(SystemExit, "1 of 5 rows are not the store's"):
            self.rows.check_pass(iter([other]), 5, self.wanted)
        with self.assertRaisesRegex(SystemExit, "only 2 of the store's 5 rows came in a pass"):
            self.rows.check_pass(iter([self.pictures[:2]] * 3), 5, self.wanted)

    def test_a_folder_is_read_once_for_its_checksums(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "checksums.json").write_text(json.dumps([7, 9]))
            self.assertEqual(self.rows.checksums(pathlib.Path(folder)), {7, 9})


class TorchEager(unittest.TestCase):
    def setUp(self):
        try:
            import h5py  # noqa: F401
            import numpy
            import torch
            import torch_eager
        except ImportError as missing:
            self.skipTest(str(missing))
        self.numpy, self.torch, self.eager = numpy, torch, torch_eager

    def test_a_classifier_is_built_of_its_graph_too(self):
        layers = [
            {"name": "input", "kind": "input", "inputs": [], "channels": 3},
            {"name": "stem", "kind": "conv", "inputs": [0], "channels": 2, "kernel": 3, "padding": 1, "activation": "relu"},
            {"name": "mean", "kind": "average_pool", "inputs": [1], "channels": 2, "kernel": 4, "stride": 4},
            {"name": "flat", "kind": "flatten", "inputs": [2], "channels": 2},
            {"name": "dropout", "kind": "dropout", "inputs": [3], "channels": 2, "dropout": 0.5},
            {"name": "linear", "kind": "linear", "inputs": [4], "channels": 5},
            {"name": "head", "kind": "head", "inputs": [5], "channels": 5},
        ]
        network = self.eager.Network({"layers": layers, "outputs": [6], "mean": [0.5, 0.5, 0.5]}).eval()
        ones = self.numpy.ones
        network.load({"stem.weight": ones((2, 3, 3, 3), "f4"), "stem.bias": ones(2, "f4"), "linear.weight": ones((5, 2), "f4"), "linear.bias": ones(5, "f4")})
        (logits,) = network(self.torch.full((1, 3, 4, 4), 0.5))
        # Pixels less their mean are 0: the stem gives 1 everywhere, so does its mean; 1 + 1 and the bias.
        self.assertEqual(logits.tolist(), [[3.0] * 5])

    def test_an_unknown_layer_is_named(self):
        layers = [{"name": "input", "kind": "input", "inputs": [], "channels": 3}, {"name": "a", "kind": "warp", "inputs": [0], "channels": 3}]
        with self.assertRaisesRegex(SystemExit, "layers of kind warp are not built here"):
            self.eager.Network({"layers": layers, "outputs": [1]})


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    sys.exit(1 if not done.wasSuccessful() else 77 if done.skipped else 0)
