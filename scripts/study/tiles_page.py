"""The tables of docs/how-to/tiles.md, of scripts/study/results/tiles-*.json."""
import json

import cells

SETS = {"boards": "drawn boards, 6,000 x 4,000", "deeppcb": "mosaics of DeepPCB, 2,560 x 2,560"}
LEAST_SHARE = 0.98  # of the recall on crops


def read():
    """(protocol, {arm: cell}) of each set that was measured."""
    for name in SETS:
        file = cells.RESULTS / f"tiles-{name}.json"
        if file.exists():
            results = json.loads(file.read_text())
            yield results["protocol"], {cell["arm"]: cell for cell in results["cells"]}


def label(arm, protocol, cell):
    names = {"tiles": "tiles", "tiles-iou": "tiles, `--iou 0.3`", "tiles-and-whole": "tiles, `--whole-picture`", "crops": "crops, each object in the middle", "moved-crops": "crops, each object a few pixels off",
             "whole": f"whole pictures, shrunk to {protocol['side']}", "sahi": f"SAHI {cell.get('version')}, its defaults",
             "sahi-slices": f"SAHI {cell.get('version')}, slices alone"}
    return names[arm.removesuffix("-apart")] + (", `--iou 0.3 --nms agnostic`" if arm.endswith("-apart") else "")


def share(part, whole):
    """With the counts."""
    return f"{part / whole:.3f} ({part} of {whole})" if whole else ""


def precision(cell):
    return 1 - cell["false"] / cell["detections"] if cell.get("detections") else None


def row(protocol, arm, cell):
    right = precision(cell)
    columns = [share(cell["found"], cell["objects"]), share(cell["long_found"], cell["long"]), "" if right is None else f"{right:.3f}",
               f"{cell['ap50']:.3f}" if "ap50" in cell else "", " / ".join(str(n) for n in cell.get("found_at_precision", {}).values()), f"{cell['processor_s']:.1f}" if "processor_s" in cell else ""]
    return [SETS[protocol["set"]], label(arm, protocol, cell), *columns]


def recall(cell, long_too):
    found, objects = cell["found"], cell["objects"]
    return (found + cell["long_found"]) / (objects + cell["long"]) if long_too else found / objects


def verdict(met):
    return "met" if met else "missed"


def target_of_precision(tiles, whole):
    """(wanted, measured, verdict); whole None: not measured yet."""
    if whole is None:
        return "that of whole pictures", "not measured yet", ""
    ours, theirs = precision(tiles) or 0, precision(whole)
    wanted = "whole pictures found nothing" if theirs is None else f"{theirs:.3f} of whole pictures, or more"
    return wanted, f"{ours:.3f}", verdict(theirs is None or ours >= theirs)


def rows_of_targets(protocol, measured):
    """What was wanted, and what it is. Recall is of the objects that fit into a crop of the tile's side."""
    for flags, others in (("", ""), ("-iou", ""), ("-apart", "-apart")):  # of tiles, and of what they are compared with
        tiles = measured.get(f"tiles{flags}")
        crops = [measured[arm] for arm in (f"crops{others}", f"moved-crops{others}") if arm in measured]
        if not crops or not tiles:
            continue
        way, long_too = [SETS[protocol["set"]], label(f"tiles{flags}", protocol, tiles)], crops[0]["long"] > 0
        most = max(recall(cell, long_too) for cell in crops)
        got = recall(tiles, long_too) / most if most else 0
        yield [*way, "recall over that on crops, the better one", f"{LEAST_SHARE} or more", f"{got:.3f}", verdict(got >= LEAST_SHARE)]
        yield [*way, "precision", *target_of_precision(tiles, measured.get(f"whole{others}"))]


def trained(protocol, measured):
    tiles = measured["tiles"]
    return (f"{SETS[protocol['set']]}: {protocol['train']} pictures to train on, {protocol['test']} to measure on, "
            f"{tiles['epochs'] * tiles['pictures_per_epoch']:,} tiles seen in {tiles['epochs']} epochs")


def section():
    found = [(protocol, measured) for protocol, measured in read() if "tiles" in measured]
    if not found:
        return "No training is finished yet."
    protocol = found[0][0]
    made = (f"{protocol['model']} from scratch, side {protocol['side']}, overlap {protocol['overlap']:.0%}, recipe {protocol['recipe']}, batches of "
            f"{protocol['batch']}, bf16, confidence {protocol['conf']}; {'; '.join(trained(*one) for one in found)}. On one core of "
            f"{cells.machines(cell for _, measured in found for cell in measured.values())}.")
    header = ["set", "way", f"recall, objects up to {round(protocol['overlap'] * protocol['side'])} pixels", "recall, longer ones", "precision", "AP50", "found at precision 1 / 0.95 / 0.9 / 0.8",
              "processor s per picture"]
    rows = [row(one, arm, cell) for one, measured in found for arm, cell in measured.items()]
    targets = [line for one, measured in found for line in rows_of_targets(one, measured)]
    return "\n\n".join([made, cells.table(header, rows, 2), cells.table(["set", "way", "what", "wanted", "measured", ""], targets, 4)])


def time_section():
    file = cells.RESULTS / "tiles-time.json"
    if not file.exists():
        return "Nothing is measured yet."
    results = json.loads(file.read_text())
    protocol, done = results["protocol"], results["cells"]
    rows = []
    for cell in done:
        times = cell["whole_s"] / cell["parts_s"]
        missed = "" if times <= protocol["most"] else " (missed)"
        rows.append([f"`--engine {cell['engine']}`", f"{cell['whole_s']:.2f} s", f"{cell['parts_s']:.2f} s", f"{times:.2f}{missed}", f"<= {protocol['most']}"])
    header = ["predict", f"{protocol['size']}, {done[0]['tiles']} tiles", f"{done[0]['tiles']} pictures of {protocol['tile']}", "times as long", "wanted"]
    return f"Files to boxes, two threads, medians of {protocol['runs']} runs by turns (`scripts/study/tiles_time.py`, {cells.machines(done)}):\n\n" + cells.table(header, rows, 1)


def memory_section():
    file = cells.RESULTS / "tiles-memory.json"
    if not file.exists():
        return "Nothing is measured yet."
    results = json.loads(file.read_text())
    protocol, done = results["protocol"], results["cells"]
    sides = [f"{side:,} x {side:,}" for side in (protocol["small"], protocol["side"])]
    rows = [[f"`{cell['program']}`", cell["kind"], f"{cell['small_mib']:,} MiB", f"{cell['peak_mib']:,} MiB"] for cell in sorted(done, key=lambda one: one["program"])]
    return f"One picture, one thread (`scripts/study/tiles_memory.py`, {cells.machines(done)}):\n\n" + cells.table(["program", "file", *sides], rows, 2)
