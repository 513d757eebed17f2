"""Ctrl-C ends a loop over a Loader whose disk hangs: tests/faults lets a read never return."""
import os
import pathlib
import subprocess
import sys
import time
import unittest

from drawn_store import drawn_store

OPENS = """
import sys
import letterpress
loader = letterpress.Loader(letterpress.open(sys.argv[1]), batch=4, readers=1, buffers=2, read="pread", read_deadline=1000)
"""
READS = OPENS + """
batches = iter(loader)
next(batches)
print("reading", flush=True)
try:
    for batch in batches:
        pass
except KeyboardInterrupt:
    print("interrupted")
"""
HANGING = 10  # of the loader's reads: a row of the third batch


def watched(folder, log, at=0):
    return os.environ | {"LD_PRELOAD": os.environ["LETTERPRESS_FAULTS_LIBRARY"], "LETTERPRESS_FAULTS_BELOW": str(folder / "shards"),
                         "LETTERPRESS_FAULTS_CALLS": "all", "LETTERPRESS_FAULTS_AT": str(at), "LETTERPRESS_FAULTS_HOW": "hang",
                         "LETTERPRESS_FAULTS_LOG": str(log)}


class Interrupt(unittest.TestCase):
    def test_a_loop_that_waits_for_a_read_ends(self):
        with drawn_store() as folder:
            folder = pathlib.Path(folder)
            words, log = [sys.executable, "-c", READS, str(folder)], folder / "calls"
            opened = subprocess.run([sys.executable, "-c", OPENS, str(folder)], env=watched(folder, log), capture_output=True, text=True, timeout=60)
            self.assertEqual(opened.returncode, 0, opened.stderr)
            before = len(log.read_text().splitlines())
            log.unlink()
            whole = subprocess.run(words, env=watched(folder, log), capture_output=True, text=True, timeout=60)
            self.assertEqual(whole.stdout, "reading\n", whole.stderr)
            reads = [number for number, line in enumerate(log.read_text().splitlines(), 1) if number > before and "\tread\t" in line]
            hanging = reads[HANGING - 1]
            log.unlink()
            process = subprocess.Popen(words, env=watched(folder, log, hanging), stdout=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), "reading\n")
            while "\thang\t" not in log.read_text():
                time.sleep(0.05)
            time.sleep(0.3)  # the loop has come to the batch that is not read
            began = time.monotonic()
            process.send_signal(2)
            self.assertEqual(process.stdout.read(), "interrupted\n")
            self.assertEqual(process.wait(60), 0)
            self.assertLess(time.monotonic() - began, 30)


if __name__ == "__main__":
    unittest.main()
