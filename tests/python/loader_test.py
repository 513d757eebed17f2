"""letterpress.Loader, its rows held against h5py, its order against the stream as tests/golden/loader writes it anew from the
description that fit follows."""

import contextlib
import ctypes
import importlib.util
import itertools
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from drawn_store import ROOT, SIDE, VIEWS, drawn_store, flip_bit, offset_of_row, pictures_in_order, rows_of, snapshot_of

import letterpress
import numpy as np

GOLDEN = importlib.util.spec_from_file_location("golden", ROOT / "tests/golden/loader/print_sample_stream.py")
golden = importlib.util.module_from_spec(GOLDEN)
GOLDEN.loader.exec_module(golden)


class TensorOfDlpack(ctypes.Structure):
    """DLTensor, the first member of DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64))]


def tensor_of(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return TensorOfDlpack.from_address(pointer(capsule, b"dltensor"))


def first(loader, n):
    """n batches, over as many epochs as it takes."""
    return list(itertools.islice((batch for _ in itertools.count() for batch in loader), n))


def rows_in(batches):
    """(picture id, view) of every row of the batches."""
    return [(int(picture), int(view)) for batch in batches for picture, view in zip(batch.picture_ids, batch.views)]


class Order(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(drawn_store())
        cls.stored = rows_of(cls.folder)
        cls.pictures = pictures_in_order(cls.folder, "train")
        cls.snapshot = letterpress.open(cls.folder)

    def loader(self, **wishes):
        return letterpress.Loader(self.snapshot, **wishes)

    def stream(self, n, seed=1, clean_from=10**9):
        """The first n rows that fit reads."""
        rows = []
        for position in range(n):
            epoch, sample = golden.stream(position, len(self.pictures), seed)
            picture = self.pictures[sample]
            rows.append((picture, 0 if epoch >= clean_from else 1 + (picture + epoch) % VIEWS))
        return rows

    def test_the_order_is_that_of_fit(self):
        n = 3 * len(self.pictures) // 4
        self.assertEqual(rows_in(first(self.loader(batch=4, seed=7), n)), self.stream(4 * n, seed=7))
        self.assertEqual(rows_in(first(self.loader(batch=4, clean_from=1), n)), self.stream(4 * n, clean_from=1))
        self.assertEqual(rows_in(first(self.loader(batch=4, views="clean"), n)), self.stream(4 * n, clean_from=0))

    def test_balanced_is_repeat_factor_sampling(self):
        """LVIS, arXiv:1908.03195, section 5.1, from the classes that h5py reads; crowds do not count."""
        shown = []
        for picture in self.pictures:
            row = self.stored[picture, 0]
            used = int(row["box_count"])
            shown.append({int(box[4]) for box, flags in zip(row["boxes"][:used], row["box_flags"][:used]) if not flags & 1})
        share = {c: sum(c in classes for classes in shown) / len(shown) for c in set().union(*shown)}
        middle = sorted(share.values())[len(share) // 2]
        for rare_below, t in ((0, middle), (0.9, 0.9)):
            factors = [float(np.float32(max([1, *(np.sqrt(t / share[c]) for c in classes)]))) for classes in shown]
            wanted = []
            for position in range(120):
                epoch, sample, repeat = golden.repeated(position, factors, 5)
                picture = self.pictures[sample]
                wanted.append((picture, 1 + (picture + epoch + repeat) % VIEWS))
            loader = self.loader(sample="balanced", rare_below=rare_below, batch=8, seed=5)
            self.assertEqual(len(loader), -(-len(golden.places(0, factors, 5)) // 8))
            self.assertEqual(rows_in(first(loader, 15)), wanted)
        self.assertGreater(max(factors), 1)

    def test_windows_are_of_the_order_on_the_disk(self):
        views = {picture: self.stored[picture, 1] for picture in self.pictures}
        shards = [shard["digest"] for shard in snapshot_of(self.folder)["shards"]]
        on_disk = sorted(self.pictures, key=lambda picture: (shards.index(views[picture]["path"].stem), views[picture]["row"]))
        wanted = [on_disk[golden.windowed(i, len(on_disk), 5, 64, 16)]
                  for i in range(2 * len(on_disk))]
        got = [picture for picture, _ in rows_in(first(self.loader(batch=len(on_disk), order="window", seed=5), 2))]
        self.assertEqual(got, wanted)

    def test_the_ranks_batches_in_order_are_the_batch(self):
        for world_size in (2, 3):
            ranks = [first(self.loader(batch=5, rank=rank, world_size=world_size), 9) for rank in range(world_size)]
            self.assertEqual(rows_in(itertools.chain(*zip(*ranks))), self.stream(45))

    def test_torchruns_ranks_share_the_batches(self):
        torch = ROOT / ".deps/torch"
        if not (torch / "torch/distributed/run.py").exists():
            self.skipTest("no PyTorch in .deps/torch; scripts/setup.sh puts it there")
        with tempfile.TemporaryDirectory() as out:
            path = os.pathsep.join([str(torch), os.environ.get("PYTHONPATH", "")])
            flags = "--nnodes 1 --nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint 127.0.0.1:0 --rdzv-id rows --local-addr 127.0.0.1"
            ended = subprocess.run([sys.executable, "-m", "torch.distributed.run", *flags.split(), ROOT / "tests/python/rank_rows.py", self.folder, out, "9"],
                                   env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            ranks = [json.loads(pathlib.Path(out, f"{rank}.json").read_text()) for rank in (0, 1)]
        rows = [tuple(row) for at in range(0, 27, 3) for rank in ranks for row in rank[at:at + 3]]
        self.assertEqual(rows, self.stream(54, seed=7))

    def test_a_loop_is_an_epoch(self):
        loader, n = self.loader(batch=8), len(self.pictures)
        ends = [-(-n * epoch // 8) for epoch in range(4)]
        for epoch in range(3):
            self.assertEqual((loader.epoch, len(loader)), (epoch, ends[epoch + 1] - ends[epoch]))
            self.assertEqual(len(list(loader)), ends[epoch + 1] - ends[epoch])
        for _ in loader:
            break
        self.assertEqual((loader.epoch, len(loader)), (3, -(-n * 4 // 8) - ends[3] - 1))

    def test_any_batch_and_world_size_continue_it(self):
        loader = self.loader(batch=6, seed=3)
        before = rows_in(first(loader, 7))
        state = loader.state_dict()
        self.assertEqual(state["position"], 42)
        ranks = [self.loader(batch=4, seed=3, rank=rank, world_size=2) for rank in (0, 1)]
        for rank in ranks:
            rank.load_state_dict(state)
        after = rows_in(itertools.chain(*zip(*(first(rank, 5) for rank in ranks))))
        self.assertEqual(before + after, self.stream(62, seed=3))
        loader.load_state_dict(state)
        self.assertEqual(rows_in(first(loader, 2)), self.stream(54, seed=3)[42:])

    def test_a_state_of_another_order_is_refused(self):
        state = self.loader(seed=3).state_dict()
        with self.assertRaisesRegex(letterpress.Error, "state_dict: is of seed 3, this loader has 4; make the loader as"):
            self.loader(seed=4).load_state_dict(state)
        with self.assertRaisesRegex(letterpress.Error, "state_dict: is of split 'train', this loader has 'val'"):
            self.loader(seed=3, split="val").load_state_dict(state)
        del state["seed"]
        with self.assertRaisesRegex(letterpress.Error, "state_dict: has no 'seed'"):
            self.loader(seed=3).load_state_dict(state)
        with self.assertRaisesRegex(letterpress.Error, "position: is -1, must be 0 to 4611686018427387904"):
            self.loader().load_state_dict(self.loader().state_dict() | {"position": -1})
        with self.assertRaisesRegex(letterpress.Error, "position: is 9223372036854775807, must be 0 to"):
            self.loader().load_state_dict(self.loader().state_dict() | {"position": 2**63 - 1})
        for wrong in (4.0, "4", None, True):
            with self.assertRaisesRegex(letterpress.Error, f"state_dict: position is '?{wrong}'?, must be a whole number"):
                self.loader().load_state_dict(self.loader().state_dict() | {"position": wrong})
        with self.assertRaises(IndexError):
            self.loader().load_state_dict(self.loader().state_dict() | {"position": 2**64})
        loader = self.loader()
        loader.load_state_dict(loader.state_dict() | {"position": np.int64(16)})
        self.assertEqual(loader.state_dict()["position"], 16)

    def test_threads_that_share_a_loop_get_the_batches_of_its_epoch(self):
        loader, n = self.loader(batch=4), len(self.pictures)
        for epoch in range(20):
            loop, got = iter(loader), []
            threads = [threading.Thread(target=lambda: got.extend(rows_in(loop))) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            begin, end = (4 * -(-n * e // 4) for e in (epoch, epoch + 1))
            self.assertEqual(sorted(got), sorted(self.stream(end)[begin:]))

    def test_once_gives_each_picture_once_and_pads(self):
        for world_size in (1, 2, 3):
            loaders = [self.loader(order="once", batch=6, rank=rank, world_size=world_size) for rank in range(world_size)]
            for _ in range(2):
                self.assertEqual(len({len(loader) for loader in loaders}), 1)
                batches = [batch for loader in loaders for batch in loader]
                rows = [row for batch in batches for row, weight in zip(rows_in([batch]), batch.weights) if weight]
                self.assertEqual(sorted(rows), sorted((picture, 0) for picture in self.pictures))
                for batch in batches:
                    padding = batch.weights == 0
                    self.assertTrue((batch.images[padding] == 114).all())
                    self.assertTrue((batch.boxes[padding] == [0, 0, 0, 0, -1]).all() and (batch.counts[padding] == 0).all())

    def test_once_begins_anew_after_a_break(self):
        loader = self.loader(order="once", batch=6)
        for batch in loader:
            begun = rows_in([batch])
            break
        self.assertEqual(rows_in(loader)[:6], begun)

    def test_once_continues_from_a_state(self):
        whole = rows_in(self.loader(order="once", batch=6))
        for given in range(len(whole) // 6 + 1):
            begun = self.loader(order="once", batch=6)
            for batch in itertools.islice(begun, given):
                pass
            loader = self.loader(order="once", batch=6)
            loader.load_state_dict(begun.state_dict())
            left = len(whole) // 6 - given or len(whole) // 6  # a whole pass after a whole pass
            self.assertEqual(len(loader), left)
            self.assertEqual(rows_in(loader), whole[-6 * left :])
            self.assertEqual(rows_in(loader), whole)
        for other, rows in (({"batch": 4}, 4), ({"batch": 6, "world_size": 4}, 8)):
            with self.assertRaisesRegex(letterpress.Error, f"state_dict: is of rows_of_batch 6, this loader has {rows}; make the loader as"):
                self.loader(order="once", **other).load_state_dict(begun.state_dict())
        state = begun.state_dict()
        del state["rows_of_batch"]  # of a version that did not keep it
        loader.load_state_dict(state)


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(drawn_store())
        cls.stored = rows_of(cls.folder)
        cls.snapshot = letterpress.open(cls.folder)

    def loader(self, **wishes):
        return letterpress.Loader(self.snapshot, **wishes)

    def images(self, batch):
        return np.stack([self.stored[row]["images"] for row in rows_in([batch])])

    def test_tables_are_what_h5py_reads(self):
        for batch in first(self.loader(batch=5), 9):
            self.assertEqual(len(batch), 5)
            for i, row in enumerate(rows_in([batch])):
                stored, used = self.stored[row], self.stored[row]["box_count"]
                np.testing.assert_array_equal(batch.images[i], stored["images"])
                np.testing.assert_array_equal(batch.boxes[i, :used], stored["boxes"][:used])
                np.testing.assert_array_equal(batch.flags[i, :used], stored["box_flags"][:used])
                self.assertTrue((batch.boxes[i, used:] == [0, 0, 0, 0, -1]).all())
                self.assertEqual((batch.counts[i], batch.labels[i], batch.weights[i]), (used, stored["label"], 1))

    def test_float32_is_the_byte_by_255(self):
        for batch in first(self.loader(batch=5, dtype="float32"), 3):
            np.testing.assert_array_equal(batch.images, self.images(batch).astype(np.float32) / np.float32(255))

    def test_bfloat16_is_that_rounded_to_even(self):
        for batch in first(self.loader(batch=5, dtype="bfloat16"), 3):
            capsule = batch.images.__dlpack__()
            tensor = tensor_of(capsule)
            self.assertEqual((tensor.code, tensor.bits, tensor.lanes), (4, 16, 1))  # kDLBfloat of dlpack.h
            self.assertEqual(tensor.shape[: tensor.ndim], [5, SIDE, SIDE, 3])
            got = np.ctypeslib.as_array((ctypes.c_uint16 * (5 * SIDE * SIDE * 3)).from_address(tensor.data))
            bits = (self.images(batch).astype(np.float32) / np.float32(255)).view(np.uint32).ravel()
            np.testing.assert_array_equal(got, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)

    def test_dlpack_shows_the_same_memory(self):
        batch = next(iter(self.loader(batch=5)))
        shown = np.from_dlpack(batch.images)
        batch.images[0, 0, 0, 0] ^= 1
        self.assertEqual(shown[0, 0, 0, 0], batch.images[0, 0, 0, 0])

    def test_batches_that_are_held_stay_as_they_are(self):
        loader = self.loader(batch=5)
        held = first(loader, 12)
        arrays = [batch.images for batch in held[::2]]
        wanted = [self.images(batch) for batch in held[::2]]
        del held, loader
        for array, rows in zip(arrays, wanted):
            np.testing.assert_array_equal(array, rows)

    def test_memory_is_used_again(self):
        places = {batch.images.__array_interface__["data"][0] for batch in first_one_by_one(self.loader(batch=5, buffers=2), 30)}
        self.assertLessEqual(len(places), 4)  # two that are read, one in the loop, one that it is replaced by

    def test_all_ways_to_read_give_the_same(self):
        wanted = first(self.loader(batch=5, read="mmap"), 8)
        for got, want in zip(first(self.loader(batch=5, read="pread", readers=1), 8), wanted):
            np.testing.assert_array_equal(got.images, want.images)
            self.assertEqual(rows_in([got]), rows_in([want]))

    def test_how_rows_are_read_is_said(self):
        loader = self.loader(read="pread")
        self.assertEqual((loader.reading, loader.waited_s), ("", 0))
        first(loader, 1)
        self.assertRegex(loader.reading, "^rows are read by pread: ")

    def test_others_run_while_a_batch_is_waited_for(self):
        loader, done, turns = self.loader(batch=16), threading.Event(), 0
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # from here on nobody runs unless the lock is let go
        try:
            thread = threading.Thread(target=lambda: (first(loader, 20), done.set()))
            thread.start()
            while not done.is_set():
                turns += 1
                time.sleep(0)
            thread.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertGreater(turns, 2)

    def test_a_process_forked_while_a_thread_waits_for_a_batch_is_told_too(self):
        loader = self.loader(batch=16)
        thread = threading.Thread(target=lambda: first(loader, 200))
        thread.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # where it waits for the thread that it does not have
                with contextlib.suppress(letterpress.Error):
                    loader.state_dict()
                    os._exit(1)
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        thread.join()

    def test_it_cannot_be_pickled_for_another_process(self):
        with self.assertRaisesRegex(letterpress.Error, "reads in threads, which another process cannot be given; make it there, or use"):
            pickle.dumps(self.loader())

    def test_a_forked_process_is_told_to_make_its_own(self):
        loader = self.loader(batch=5)
        first(loader, 1)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                first(loader, 1)
            except letterpress.Error as error:
                os.write(write, str(error).encode())
            del loader
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        said = os.read(read, 1000).decode()
        self.assertIn(f"letterpress.Loader: was made in process {os.getpid()}, whose reader threads this forked process does not", said)
        self.assertEqual(len(first(loader, 2)), 2)


def first_one_by_one(loader, n):
    """As a loop does it: one batch is held at a time."""
    for _, batch in zip(range(n), loader):
        yield batch


class Refusals(unittest.TestCase):
    def test_a_bad_row_names_shard_row_and_picture_after_the_batches_before_it(self):
        with drawn_store() as folder:
            whole = rows_in(first(letterpress.Loader(letterpress.open(folder), batch=4), 5))
            stored = rows_of(folder)[whole[13]]
            flip_bit(stored["path"], offset_of_row(stored["path"], stored["row"]) + 5)
            loader = letterpress.Loader(letterpress.open(folder), batch=4)
            self.assertEqual(rows_in(first(loader, 3)), whole[:12])
            with self.assertRaises(letterpress.Error) as raised:
                first(loader, 1)
            self.assertIn(f"{stored['path']}: row {stored['row']} ({stored['name']})", str(raised.exception))
            self.assertEqual(loader.state_dict()["position"], 12)

    def test_wishes_that_cannot_be_are_refused(self):
        with drawn_store(pictures=6) as folder:
            snapshot = letterpress.open(folder)
            for wishes, said in (
                ({"batch": 0}, "batch: is 0, must be 1 or more"),
                ({"world_size": 0}, "world_size: is 0, must be 1 or more"),
                ({"rank": 2, "world_size": 2}, "rank: is 2, must be 0..1 with world_size 2"),
                ({"batch": 2, "world_size": 3}, "a global batch of 2 rows for 3 ranks leaves some ranks without a row"),
                ({"clean_from": -1}, "clean_from: is -1, must be 0 or more"),
                ({"sample": "balance"}, "sample: unknown value 'balance'; did you mean 'balanced'? known: "),
                ({"rare_below": 2.0}, "rare_below: is 2.000000, must be 0 to 1"),
                ({"sample": "balanced", "order": "once"},
                 "sample: 'balanced' takes pictures from all over the store; leave order 'once' out"),
                ({"order": "shufle"}, "order: unknown value 'shufle'; did you mean 'shuffle'? known: "),
                ({"views": "all"}, "views: unknown value 'all'"),
                ({"dtype": "float16"}, "dtype: unknown value 'float16'"),
                ({"read": "fast"}, "read: unknown value 'fast'"),
                ({"read": "nmap"}, "read: unknown value 'nmap'; did you mean 'mmap'? known: mmap, auto, "),
                ({"verify": "no"}, "verify: unknown value 'no'"),
                ({"readers": -1}, "readers: is -1, must be 0 (min(4, cores)) to 1024"),
                ({"readers": 10**5}, "readers: is 100000, must be 0 (min(4, cores)) to 1024"),
                ({"buffers": 1}, "buffers: is 1, must be 2 to 1024 batches"),
                ({"buffers": 10**9}, "buffers: is 1000000000, must be 2 to 1024 batches"),
                ({"read_deadline": 0.0}, "read_deadline: is 0.000000, must be more than 0 seconds"),
                ({"read_deadline": float("nan")}, "read_deadline: is nan, must be more than 0 seconds"),
                ({"split": "test"}, "snapshot 1 has no split 'test'; there are: train, val"),
            ):
                with self.assertRaises(letterpress.Error) as raised:
                    letterpress.Loader(snapshot, **wishes)
                self.assertIn(said, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
