"""What programs do to a store in a history, and what must hold after each step. Used by histories.py."""
import collections
import json

from history_changes import Changes
from history_model import Expected, Model, Refused
from history_world import DAY_S, check_rows
from works import KILLED, Wrong

USAGE, DATA = 64, 65


def last_line(result):
    return (result.stdout.strip().splitlines() or [""])[-1]


def outcome(result):
    return json.loads(last_line(result))


class History(Changes):
    """A world, the model of its store, and what programs did."""

    def __init__(self, world, share, digests):
        super().__init__(world, Model(), share)
        self.digests = digests
        self.built, self.left_plans, self.snapshots = None, False, {}
        self.pins = 0  # of trainings that run meanwhile
        self.whole, self.is_damaged = set(), False  # generations of which all shards are there; the newest has lost one

    def build(self, a, b, c):
        self.world.write_labels(self.inputs)
        self.check_built([self.world.run(self.world.words("build", self.inputs))])

    def build_twice_at_once(self, a, b, c):
        self.world.write_labels(self.inputs)
        self.check_built(self.world.run_both(self.world.words("build", self.inputs)))

    def build_again(self, a, b, c):
        self.build(a, b, c)
        if isinstance(self.model.expect(self.inputs), Refused):
            return
        before = self.world.files()
        result = self.world.run(self.world.words("build", self.inputs))
        if result.returncode != 0 or outcome(result)["outcome"] != "unchanged":
            raise Wrong(f"a build of the same inputs is not a no-op: exit {result.returncode}, {last_line(result)[:200]}")
        if before != self.world.files():
            raise Wrong("a no-op build has changed the store's files")

    def kill(self, a, b, c):
        self.world.write_labels(self.inputs)
        result = self.world.run(self.world.words("build", self.inputs), kill_at=1 + a % 60)
        if result.returncode != KILLED:
            return self.check_built([result])
        self.left_plans = True
        self.take_what_is_there()

    def take_what_is_there(self):
        """After a kill: the old snapshot or the new one."""
        newest = self.world.newest()
        if newest and newest["generation"] != self.generation():
            self.check_snapshot(self.model.expect(self.inputs), newest)

    def parts(self, a, b, c):
        """Plan, map and reduce: some part is lost, one comes twice, the last comes first."""
        self.world.write_labels(self.inputs)
        expected = self.model.expect(self.inputs)
        planned = self.world.run(self.world.words("plan", self.inputs))
        if planned.returncode != 0 or outcome(planned)["outcome"] != "planned":
            return self.check_built([planned])
        self.left_plans = True
        plan, n = outcome(planned)["plan"], 1 + a % 3
        order = sorted(range(n), key=lambda part: (b >> part & 3, part)) + [b % n]
        lost = c % (n + 1)  # n: none
        for part in order:
            if part != lost:
                self.map(plan, part, n)
        if lost < n:
            reduced = self.world.run(self.world.preprocess("reduce", "--plan", plan))
            if reduced.returncode == 75 and "not finished" in reduced.stderr:
                self.map(plan, lost, n)
            elif reduced.returncode != 0 and not isinstance(expected, Refused):
                raise Wrong(f"reduce without part {lost}/{n}: exit {reduced.returncode}: {reduced.stderr.strip()}")
        if isinstance(expected, Refused):  # because of what was seen when pictures were decoded
            reduced = self.world.run(self.world.preprocess("reduce", "--plan", plan))
            if reduced.returncode not in expected.exits:
                raise Wrong(f"reduce: exit {reduced.returncode}, must be {expected.exits}: {reduced.stderr.strip()}")
            return
        if self.generation() == (self.world.newest() or {"generation": 0})["generation"]:
            self.must_run("reduce", "--plan", plan)
        self.left_plans = False
        self.check_snapshot(expected, self.world.newest())

    def map(self, plan, part, n):
        self.must_run("map", "--plan", plan, "--part", f"{part}/{n}", "--threads", "1")

    def abandon(self, a, b, c):
        """A plan of which nothing becomes, or that is mapped after its inputs have changed."""
        self.world.write_labels(self.inputs)
        planned = self.world.run(self.world.words("plan", self.inputs))
        if planned.returncode != 0 or outcome(planned)["outcome"] != "planned":
            return self.check_built([planned])
        self.left_plans = True
        if a % 2 and (name := self.on_disk(b)):
            self.put(name, self.world.pictures[c % len(self.world.pictures)])
            mapped = self.world.run(self.world.preprocess("map", "--plan", outcome(planned)["plan"], "--part", "0/1", "--threads", "1"))
            if mapped.returncode not in (0, 65):
                raise Wrong(f"map of changed inputs: exit {mapped.returncode}: {mapped.stderr.strip()}")

    def unmount(self, a, b, c):
        """The pictures are gone for a night, or all of the set: nothing is published, and nothing is missing when they are back."""
        if not self.model.snapshot or not self.model.snapshot.stored:
            return
        self.world.write_labels(self.inputs)
        gone, away = self.world.set if a % 2 else self.world.set / "pictures", self.world.folder / "away"
        gone.rename(away)
        result = self.world.run(self.world.words("build", self.inputs, gates=()))
        away.rename(gone)
        if result.returncode not in (65, 66) or (self.world.newest() or {}).get("generation", 0) != self.generation():
            raise Wrong(f"a build without its disk: exit {result.returncode}: {result.stderr.strip()}")

    def gc(self, a, b, c):
        if not self.snapshots:
            return
        keep, days = 1 + a % 3, (0, 7)[b % 2] if self.world.clock_s > 0 else 7  # ages are whole seconds
        self.must_run("gc", "--store", self.world.store, "--keep", keep, "--older-than", days)
        newest = sorted(self.snapshots)[-keep:]
        is_old = self.world.clock_s >= days * DAY_S
        self.snapshots = {number: text for number, text in self.snapshots.items() if number in newest or not is_old}
        self.whole &= self.snapshots.keys()
        self.check_snapshots()
        on_disk, missing = self.world.shards_on_disk(), self.needed(self.whole) - self.world.shards_on_disk()
        if missing or (not self.left_plans and on_disk - self.needed(self.snapshots)):
            raise Wrong(f"after gc shards are missing: {missing}, or not needed: {on_disk - self.needed(self.snapshots)}")

    def needed(self, generations):
        return {shard["digest"] for number in generations for shard in json.loads(self.snapshots[number])["snapshot"]["shards"]}

    def damage(self, a, b, c):
        """A shard of the newest snapshot is lost or has damaged tables: the next build makes it again, if its pictures are there."""
        newest = self.world.newest()
        there = [path for shard in (newest or {}).get("shards", ()) if (path := self.world.store / "shards" / f"{shard['digest']}.h5").exists()]
        if not there:
            return
        path = there[a % len(there)]
        if b % 2:
            path.unlink()
        else:
            content = bytearray(path.read_bytes())
            content[-1 - c % 100] ^= 4  # behind the pixels
            path.unlink()
            path.write_bytes(content)
        self.whole, self.is_damaged = set(), True  # older ones may have needed it, too
        self.build(a, b, c)

    # What must hold.

    def must_run(self, *words):
        result = self.world.run(self.world.preprocess(*words))
        if result.returncode != 0:
            raise Wrong(f"{words[0]}: exit {result.returncode}: {result.stderr.strip()}")

    def generation(self):
        return max(self.snapshots, default=0)

    def check_built(self, results):
        """One build, or two at once of which one publishes."""
        expected = self.model.expect(self.inputs)
        codes = [result.returncode for result in results]
        if isinstance(expected, Refused):
            if not set(codes) <= {*expected.exits, 75} or set(codes) == {75}:
                raise Wrong(f"exit {codes}, must be {expected.exits}: {results[0].stderr.strip()}")
            self.left_plans |= DATA in expected.exits  # of pictures that were decoded before it showed
            if USAGE in expected.exits:
                self.inputs.rename = ()  # nobody would give it again
            return
        if 0 not in codes or not set(codes) <= {0, 75} or (75 in codes and len(codes) == 1):
            raise Wrong(f"exit {codes}: {results[0].stderr.strip()}")
        said = [outcome(result) for result in results if result.returncode == 0]
        published = [one for one in said if one["outcome"] == "published"]
        if len(published) > 1:
            raise Wrong("two builds at once have both published")
        for one in said:
            self.check_accounting(expected, one["accounting"], one["pictures_per_split"])
        if published:
            self.check_new_rows(expected, published[0])
            self.left_plans = False
        elif self.model.snapshot is None or self.model.snapshot.meaning() != expected.meaning():
            raise Wrong(f"the inputs have changed, but the build says {said[0]['outcome']}")
        newest = self.world.newest()
        if newest["generation"] != self.generation():
            self.check_snapshot(expected, newest)
        elif published:
            raise Wrong("a build says that it has published, but there is no new snapshot")
        self.is_damaged = False
        self.whole.add(self.generation())
        pinned = len(list((self.world.store / "pins").iterdir()))
        if list((self.world.store / "tmp").iterdir()) or pinned != self.pins:
            raise Wrong(f"a finished build has left temporary files, or {pinned} pins of {self.pins} trainings")

    def check_accounting(self, expected, accounting, splits):
        odd = {name: (accounting[name], n) for name, n in expected.accounting.items() if accounting[name] != n}
        wanted = collections.Counter(stored.split for stored in expected.stored.values())
        if odd or {name: n for name, n in splits.items() if n} != dict(wanted):
            raise Wrong(f"accounting (got, must be): {odd}; splits {splits}, must be {dict(wanted)}")

    def check_new_rows(self, expected, said):
        """An incremental build makes the rows that are new, and no others. Pictures that turn out to be broken have had rows planned."""
        if self.is_damaged or any(picture.is_broken for picture in self.inputs.files.values()) or self.built is None:
            return
        model = self.model.copy()
        if model.published(self.inputs, expected, self.world.newest()["classes"]):
            return  # check_snapshot says it
        new = len(model.rows() - self.built)
        if said["rows_new"] != new:
            raise Wrong(f"{said['rows_new']} rows are new, must be {new}")

    def check_snapshot(self, expected, newest):
        if not isinstance(expected, Expected):
            raise Wrong("a snapshot was published that must be refused")
        if newest["generation"] != self.generation() + 1:
            raise Wrong(f"snapshot {newest['generation']} follows {self.generation()}")
        if wrong := self.model.published(self.inputs, expected, newest["classes"]):
            raise Wrong(wrong)
        self.inputs.rename = ()
        self.check_accounting(expected, newest["accounting"], collections.Counter(stored.split for stored in expected.stored.values()))
        check_rows(self.world, newest, expected)
        self.check_digest(expected, newest["logical_digest"])
        self.snapshots[newest["generation"]] = self.world.generations()[newest["generation"]].read_text()
        self.check_snapshots()
        self.built = self.model.rows()
        self.whole.add(newest["generation"])

    def check_snapshots(self):
        """Old snapshots stay as they are."""
        there = {number: path.read_text() for number, path in self.world.generations().items()}
        if there != self.snapshots:
            raise Wrong(f"snapshots are {sorted(there)}, must be {sorted(self.snapshots)}")

    def check_digest(self, expected, digest):
        """Equal digests for equal contents, over all histories, and for no others."""
        meaning = expected.meaning()
        if self.digests.setdefault(meaning, digest) != digest or self.digests.setdefault(digest, meaning) != meaning:
            raise Wrong(f"logical digest {digest} is that of other contents, or these have had another: {self.digests[meaning]}")

    def end(self):
        """A last build, every byte of every snapshot, the ledger, and a clean build of the same inputs."""
        has_rename = self.inputs.rename != ()
        self.build(0, 0, 0)
        if has_rename:
            self.build(0, 0, 0)  # the rename may have been refused
        expected = self.model.expect(self.inputs)
        if isinstance(expected, Refused) or not self.snapshots:
            return
        for number in self.whole:
            self.must_run("verify", "--deep", "--store", self.world.store, "--snapshot", number)
        ledger = json.loads(last_line(self.world.run(self.world.preprocess("ledger", "--store", self.world.store, "--json"))))
        found = {bytes.fromhex(one["hash"]): (one["split"], one["boxes"]) for one in ledger["pictures"] if one["state"] == "stored"}
        if found != {key: (stored.split, len(stored.boxes)) for key, stored in expected.stored.items()}:
            raise Wrong(f"the ledger has {found}")
        if self.is_shared or self.model.renamed:
            return  # another choice of val; names that only this store knows
        clean = self.world.words("build", self.inputs)
        clean[clean.index(str(self.world.store))] = str(self.world.folder / "clean")
        result = self.world.run(clean)
        if result.returncode != 0:
            raise Wrong(f"a clean build: exit {result.returncode}: {result.stderr.strip()}")
        snapshot = json.loads((self.world.folder / "clean/snapshots/00000001.json").read_text())["snapshot"]
        if snapshot["logical_digest"] != self.world.newest()["logical_digest"]:
            raise Wrong("a clean build of the same inputs has another logical digest")
