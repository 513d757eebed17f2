"""What untrusted.py does to stores: {name: change(store, canary)}. The canary's folder `other` is a copy of the whole store. Written from
docs/reference/store.md, by h5py and xxhash; nothing of ours is asked."""
import json
import os
import re
import shutil
import stat

import h5py
import numpy
import xxhash

FOLDERS = ("plans", "shards", "snapshots", "pins", "cache", "tmp")
GIANT, DEEP = 1 << 40, 100_000
NUMBER = re.compile(r'"@([^"@]*)@"')


def snapshot_file(store):
    return store / "snapshots/00000001.json"


def ledger(store):
    return store / "snapshots/00000001.ledger.h5"


def shard(store):
    return sorted((store / "shards").iterdir())[0]


def pin(store):
    return store / "pins/1-run.json"


def plan(store):
    return store / "plans" / ("0" * 32) / "plan.h5"


def in_plan(name):
    return lambda store: plan(store).parent / name


def named(name):
    return lambda store: store / name


FILES = {"FORMAT": named("FORMAT"), "lock": named("lock"), "quarantine": named("quarantine.jsonl"), "snapshot": snapshot_file, "ledger": ledger,
         "shard": shard, "pin": pin, "plan": plan, "terms": in_plan("terms.json"), "record": in_plan("0.json"), "stat": named("cache/stat"),
         "looks": named("cache/looks"), "unpacked": named("cache/unpacked"), "left": named("tmp/left")}


def cleared(path):
    """The name, free; its folder, there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def giant(path):
    path.touch()
    os.truncate(path, GIANT)


KINDS = {"FIFO": os.mkfifo, "folder": os.mkdir, "giant": giant, "loop": lambda path: path.symlink_to(path),
         "zeros": lambda path: path.symlink_to("/dev/zero"), "deep": lambda path: path.write_text("[" * DEEP)}


def linked(where):
    """To what the canary has in the same place."""

    def change(store, canary):
        path = where(store)
        target = canary / "other" / path.relative_to(store)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.write_text("the canary's own words\n")
        cleared(path).symlink_to(target)

    return change


def secret(where):
    return lambda store, canary: cleared(where(store)).symlink_to(canary / "secret.txt")


def replaced(where, kind):
    return lambda store, canary: kind(cleared(where(store)))


def appended(where):
    return lambda store, canary: os.truncate(where(store), GIANT)


def device(store, canary):
    if os.geteuid() == 0:
        os.mknod(cleared(ledger(store)), 0o666 | stat.S_IFCHR, os.makedev(1, 5))


def sealed(change):
    """The snapshot with what `change` makes of it, and its checksum. Texts "@1e+300@" become numbers as they are."""

    def apply(store, canary):
        file = snapshot_file(store)
        snapshot = json.loads(file.read_text(), parse_float=lambda text: f"@{text}@")["snapshot"]
        change(snapshot)
        compact = json.dumps(snapshot, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        checksum = xxhash.xxh3_128_hexdigest(NUMBER.sub(r"\1", compact).encode())
        whole = json.dumps({"checksum": checksum, "format": 1, "snapshot": snapshot}, sort_keys=True, indent=1, ensure_ascii=False)
        file.write_text(NUMBER.sub(r"\1", whole) + "\n")

    return apply


def put(*path_and_value):
    """sealed(): the value at this path."""
    *path, last, value = path_and_value

    def change(snapshot):
        at = snapshot
        for key in path:
            at = at[key]
        at[last] = value(snapshot) if callable(value) else value

    return sealed(change)


def every_shard(key, value):
    def change(snapshot):
        for one in snapshot["shards"]:
            one[key] = value(one)

    return sealed(change)


def deep_snapshot(store, canary):
    snapshot_file(store).write_text('{"checksum":"x","format":1,"snapshot":' + "[" * DEEP + "]" * DEEP + "}")


def in_hdf5(where, change):
    def apply(store, canary):
        with h5py.File(where(store), "r+") as file:
            change(file, canary)

    return apply


def member(name, link):
    """In place of a dataset."""

    def change(file, canary):
        if name in file:
            del file[name]
        file[name] = link(canary)

    return change


def in_a_fifo(canary):
    if not (canary / "fifo").exists():
        os.mkfifo(canary / "fifo")
    return h5py.ExternalLink(str(canary / "fifo"), "/label")


def in_another(canary):
    return h5py.ExternalLink(str(shard(canary / "other")), "/label")


def kept_outside(file, canary):
    shape = file["box_count"].shape
    del file["box_count"]
    file.create_dataset("box_count", shape=shape, dtype="<i4", external=[(str(canary / "secret.txt"), 0, h5py.h5f.UNLIMITED)])


def virtual(file, canary):
    layout = h5py.VirtualLayout(shape=file["label"].shape, dtype="<i4")
    layout[:] = h5py.VirtualSource(str(shard(canary / "other")), "label", shape=file["label"].shape)
    del file["label"]
    file.create_virtual_dataset("label", layout)


def wide(file, canary):
    rows = file["label"].shape[0]
    del file["boxes"]
    file.create_dataset("boxes", shape=(rows, 1 << 24, 5), dtype="<f4")


def deep_attribute(file, canary):
    for name in ("classes", "recipe"):
        file.attrs[name] = numpy.bytes_(b"[" * 60_000)


HDF5 = {"to a FIFO": member("label", in_a_fifo), "to another file": member("label", in_another), "in itself": member("label", lambda _: h5py.SoftLink("/view")),
        "round": member("label", lambda _: h5py.SoftLink("/label")), "beside": member("more", in_a_fifo), "kept outside": kept_outside,
        "virtual": virtual, "wide": wide, "deep attributes": deep_attribute}

SNAPSHOTS = {
    "deep": deep_snapshot,
    "deep recipe": put("identity", "recipe_json", "[" * DEEP),
    "deep configuration": put("configuration", "[" * DEEP),
    "side 0": put("identity", "side", 0),
    "side 2^31-32": put("identity", "side", 2**31 - 32),
    "side 2^40": put("identity", "side", 2**40 + 64),
    "seed -1": put("identity", "seed", -1),
    "redrawn": put("identity", "redrawn", [2**63] * 5),
    "views 2^31-1": put("views", 2**31 - 1),
    "views -5": put("views", -5),
    "generation 7": put("generation", 7),
    "parent -1": put("parent", -1),
    "max_boxes 2^31-1": put("statistics", "max_boxes", 2**31 - 1),
    "max_boxes -1": put("statistics", "max_boxes", -1),
    "max_boxes 2^40": put("statistics", "max_boxes", 2**40),
    "anchors of 1e300": put("statistics", "anchors", [["@-5.5@", "@1e+300@"]] * 9),
    "many anchors": put("statistics", "anchors", [["@5.5@", "@5.5@"]] * 10_000),
    "no anchors": put("statistics", "anchors", []),
    "channel_mean": put("statistics", "channel_mean", ["@1e+300@", "@-1.5@", "@0.5@"]),
    "histogram": put("statistics", "box_side_histogram", []),
    "boxes_per_class": put("statistics", "boxes_per_class", {"2000000000": 5, "zzz": 2**62}),
    "boxes_per_class less": put("statistics", "boxes_per_class", {"a": -(2**62)}),
    "no shards": put("shards", []),
    "nothing": sealed(lambda s: (s.update(shards=[]), s["statistics"].update(max_boxes=0))),
    "a shard twice": put("shards", lambda s: s["shards"] + [s["shards"][0]]),
    "a shard 10,000 times": put("shards", lambda s: s["shards"][:1] * 10_000),
    "digest ..": put("shards", 0, "digest", "../../../../etc/passwd"),
    "digest of another": put("shards", 0, "digest", "0" * 32),
    "split ..": every_shard("split", lambda one: "../../x"),
    "rows 2^62": put("shards", 0, "rows", 2**62),
    "rows 2^40": every_shard("rows", lambda one: 2**40),
    "rows -1": put("shards", 0, "rows", -1),
    "shards of 2^24 boxes": every_shard("max_boxes", lambda one: 2**24),
    "dead": put("shards", 0, "dead", [0] * 10_000),
    "all dead": every_shard("dead", lambda one: list(range(one["rows"]))),
    "channel_sum": put("shards", 0, "channel_sum", [1]),
    "augmented": every_shard("augmented", lambda one: not one["augmented"]),
    "compression": put("shards", 0, "compression", "deflate"),
    "no classes": put("classes", []),
    "one class": put("classes", ["a"]),
    "classes of terminals": put("classes", lambda s: ["\x1b]0;x\x07", "<script>", "../../x"] + s["classes"][3:]),
    "class_lists": put("class_lists", {"../../x": ["a"] * 100}),
    "category_ids": put("category_ids", {"zzz": -(2**60)}),
    "accounting 2^62": put("accounting", "boxes_found", 2**62),
    "accounting less": put("accounting", lambda s: {key: -(2**62) for key in s["accounting"]}),
    "configuration {}": put("configuration", "{}"),
    "a list": put("statistics", []),
    "a text": put("views", "4"),
}

AS_IT_WAS = "snapshot: as it was"  # sealed again without a change: shows that a checksum made here is the program's
CHANGES = {
    AS_IT_WAS: sealed(lambda snapshot: None),
    **{f"folder {name} linked": linked(named(name)) for name in FOLDERS},
    **{f"folder {name}: {kind}": replaced(named(name), KINDS[kind]) for name in FOLDERS for kind in ("FIFO", "loop")},
    **{f"{name} linked": linked(where) for name, where in FILES.items()},
    **{f"{name} linked to the secret": secret(where) for name, where in FILES.items()},
    "a plan's folder linked": linked(lambda store: plan(store).parent),
    **{f"{name}: {kind}": replaced(where, make) for name, where in FILES.items() for kind, make in KINDS.items()},
    **{f"{name} with a hole": appended(FILES[name]) for name in ("FORMAT", "snapshot", "ledger", "shard")},
    "ledger: device": device,
    **{f"shard: {name}": in_hdf5(shard, change) for name, change in HDF5.items()},
    **{f"ledger: {name}": in_hdf5(ledger, member("width", link)) for name, link in (("to a FIFO", in_a_fifo), ("to another file", in_another))},
    **{f"snapshot: {name}": change for name, change in SNAPSHOTS.items()},
}
