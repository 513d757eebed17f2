"""Another host for overlap.py, and trainings of it. Used there."""
import json
import pathlib
import shlex
import shutil
import subprocess
import time

from history_world import DAY_S
from works import Wrong

HOST = "other-host"
LEASE_S, UNTIL_PINNED_S = 14 * DAY_S, 120


class OtherHost:
    """A host that has the same store: the same kernel, but a name and mounts of its own, among them the store below another path."""

    def __init__(self, folder):
        self.store = pathlib.Path(folder) / "mounted"
        self.store.mkdir(exist_ok=True)
        self.is_there = subprocess.run(self.words(["true"], folder), capture_output=True).returncode == 0

    def words(self, words, store):
        """These, as they run there: what names the store names where it is mounted."""
        there = [str(self.store) if word == str(store) else word for word in words]
        script = f"hostname {HOST} && mount --bind {shlex.quote(str(store))} {shlex.quote(str(self.store))} && exec {shlex.join(there)}"
        return ["unshare", "--mount", "--uts", "sh", "-c", script]


class Training:
    """Of the newest snapshot, by the other host, until it is stopped."""

    def __init__(self, world, host):
        self.world, self.host, self.generation = world, host, world.newest()["generation"]
        self.out = world.folder / "run"
        shutil.rmtree(self.out, ignore_errors=True)
        self.log = open(world.folder / "training.txt", "w")
        self.process = subprocess.Popen(self.words(1000000), stdout=self.log, stderr=self.log,
                                        env=world.environment())
        try:
            self.wait_for_pin()
        except BaseException:
            self.kill()
            raise

    def kill(self):
        self.process.kill()
        self.process.wait()

    def words(self, epochs, *more):
        words = [self.world.programs / "letterpress-trainer", "fit", "--store", self.world.store, "--snapshot", self.generation, "--out", self.out, "--model",
                 "yolov3-tiny", "--batch", 2, "--epochs", epochs, "--device", "cpu", "--threads", 1, "--log-every", 1, *more]
        return ["nice", *self.host.words([str(word) for word in words], self.world.store)]

    def said(self):
        return (self.world.folder / "training.txt").read_text(errors="replace")[-400:]

    def pins(self):
        return [json.loads(path.read_text())["pin"] for path in (self.world.store / "pins").iterdir()]

    def wait_for_pin(self):
        for _ in range(10 * UNTIL_PINNED_S):
            if "step" in self.said() and self.pins():
                break
            if self.process.poll() is not None:
                raise Wrong(f"a training ended with {self.process.returncode}: {self.said()}")
            time.sleep(0.1)
        else:
            raise Wrong(f"a training has no pin after {UNTIL_PINNED_S} s: {self.said()}")
        found = [(pin["host"], pin["generation"]) for pin in self.pins()]
        if found != [(HOST, self.generation)]:
            raise Wrong(f"the training of {HOST} has pinned {found}, must be {self.generation}")

    def check(self):
        """After each round: its snapshot is there as long as it runs."""
        if self.generation not in self.world.generations():
            raise Wrong(f"gc has removed snapshot {self.generation}, which a training of {HOST} reads")
        if self.process.poll() is not None:
            raise Wrong(f"the training of snapshot {self.generation} ended with {self.process.returncode}: {self.said()}")

    def stop(self, by_kill):
        """A run that may go on keeps its snapshot: stopped, until --resume has brought it to its end; killed for good, until the lease is over."""
        (self.process.kill if by_kill else self.process.terminate)()
        code = self.process.wait()
        self.log.close()
        if not by_kill and code != 143:
            raise Wrong(f"a training that was stopped ended with {code}, must be 143: {self.said()}")
        self.collect()
        if self.generation not in self.world.generations():
            raise Wrong(f"gc has removed snapshot {self.generation}, whose run may go on")
        if by_kill:
            self.world.clock_s += LEASE_S + DAY_S
        else:
            self.resume()
        self.collect()
        if self.pins():
            raise Wrong(f"a pin stays: {self.pins()}, by_kill {by_kill}")

    def resume(self):
        """To the end of one more epoch."""
        epochs = len((self.out / "results.csv").read_text().splitlines())
        told = self.world.run(self.words(epochs, "--resume"))
        if told.returncode != 0:
            raise Wrong(f"fit --resume: exit {told.returncode}: {told.stderr[-400:]}")

    def collect(self):
        told = self.world.run(self.world.preprocess("gc", "--store", self.world.store, "--keep", 2, "--older-than", 0))
        if told.returncode != 0:
            raise Wrong(f"gc: exit {told.returncode}: {told.stderr.strip()}")
