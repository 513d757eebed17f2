#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md and docs/how-to/tiles.md and a line of README.md from scripts/study/results/*.json, between their markers, and their plots into docs/images/.

usage: scripts/study/page.py [--check]

--check changes nothing and fails when the page is not what the results say. Plots need matplotlib: .deps/bench/bin/python scripts/study/page.py; without it
they stay as they are.
"""
import json
import pathlib
import statistics
import sys

import cells
import deeppcb
import tiles_page
from cells import ONLINE, ULTRALYTICS

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import markers  # noqa: E402

WRITER = "scripts/study/page.py"
PAGE, IMAGES = ROOT / "docs" / "accuracy.md", ROOT / "docs" / "images"
README, TILES = ROOT / "README.md", ROOT / "docs" / "how-to" / "tiles.md"
METRICS = ("map50", "map50_95")
SETS = {"bccd": "BCCD, 277 pictures", "deeppcb": "DeepPCB, 300 pictures"}


def studies():
    """(protocol, results) of each file, shortest trainings first."""
    read = [json.loads(file.read_text()) for file in cells.RESULTS.glob("bccd-*.json")]
    return sorted(((one["protocol"], one["cells"]) for one in read), key=lambda pair: (pair[0]["size"], pair[0]["epochs"]))


def jump(cell):
    """By how much the training's loss rises, from its last epoch of views to its first of clean pictures."""
    clean = cell["clean_epochs"]
    return cell["loss"][-clean] - cell["loss"][-clean - 1]


def views_seen(cell, epochs):
    """How often a training saw each view."""
    views = int(cell["views"])
    return max(1, (epochs - cell["clean_epochs"]) / views)


def label(cell):
    names = {ONLINE: "online: a view per epoch", ULTRALYTICS: "Ultralytics, its defaults"}
    return names.get(cell["arm"], cell["arm"].replace("auto", f"auto: {cell.get('views')}"))


def pair(values):
    return " / ".join(f"{value:.3f}" for value in values)


def measured(cell):
    """mAP50 and mAP50-95 of a training: after its last epoch, means of the last three, of its best epoch."""
    at = max(range(len(cell["map50_95"])), key=lambda epoch: cell["map50_95"][epoch])
    return [[way(cell[name]) for name in METRICS] for way in (lambda epochs: epochs[-1], lambda epochs: statistics.mean(epochs[-3:]), lambda epochs: epochs[at])]


def line(cell, epochs):
    """A row of the table: last epoch, mean of the last three, best epoch, each mAP50 / mAP50-95."""
    last, three, best = map(pair, measured(cell))
    ours = cell["arm"] != ULTRALYTICS
    seen = ("drawn anew" if " refresh=" in cell["arm"] else f"{views_seen(cell, epochs):.2g}") if ours else "1"
    return [label(cell), seen, str(cell["seed"]), last, three, best, f"{jump(cell):+.2f}" if ours else ""]


def order(cell):
    return (cell["arm"] == ULTRALYTICS, int(cell.get("views", 0)), cell["arm"], cell["seed"])


def table(protocol, results):
    header = ["views", "each seen", "seed", "last epoch", "mean of the last three", "best epoch", "loss, clean - views"]
    return cells.table(header, [line(cell, protocol["epochs"]) for cell in sorted(results, key=order)], 1)


def name_of(protocol):
    return f"bccd-{protocol['size']}-{protocol['epochs']}"


def section(protocol, results):
    title = f"### {protocol['epochs']} epochs at {protocol['size']} pixels"
    made = f"{protocol['model']} from scratch, batches of {protocol['batch']}; {len(results)} training{'s' if len(results) > 1 else ''}, on {cells.machines(results)}."
    image = f"![mAP50-95 of each epoch](images/{name_of(protocol)}.svg)"
    return "\n\n".join([title, made, table(protocol, results), image])


def defaults():
    """(protocol, trainings) with nothing but the defaults."""
    read = json.loads((cells.RESULTS / "defaults.json").read_text())
    protocol, done = read["protocol"], read["cells"]
    if any(len(cell["map50"]) != protocol["epochs"] for cell in done):
        raise SystemExit("page.py: a training in defaults.json is not finished")
    return protocol, sorted(done, key=lambda cell: cell["seed"])


def mean_of(done):
    """measured() of several trainings, their means."""
    return [[statistics.mean(values) for values in zip(*ways)] for ways in zip(*map(measured, done))]


def defaults_section():
    """A row for each seed, and their mean beside what was asked for."""
    protocol, done = defaults()
    header = ["seed", "last epoch", "mean of the last three", "best epoch"]
    rows = [[str(cell["seed"]), *map(pair, measured(cell))] for cell in done]
    rows.append(["mean", *map(pair, mean_of(done))])
    rows.append(["needed", "", "", pair(protocol["wanted"][name] for name in METRICS)])
    made = (f"{protocol['model']} from scratch on BCCD (train and test lists: {SETS[protocol['set']].split(', ')[1]}), {protocol['size']} pixels, "
            f"{protocol['epochs']} epochs, on {cells.machines(done)}.")
    return made + "\n\n" + cells.table(header, rows, 1)


def readme():
    """README.md with what a training with nothing but the defaults gives."""
    protocol, done = defaults()
    map50, map50_95 = mean_of(done)[0]
    content = (f"{protocol['model']} from scratch on BCCD at {protocol['size']}, all defaults, {protocol['epochs']} epochs: mAP50 {map50:.3f}, "
               f"mAP50-95 {map50_95:.3f},\nmeans of {len(done)} seeds (`scripts/accuracy.py --defaults`). How many views a training needs, and "
               "which rate:\n[accuracy](docs/accuracy.md).")
    return markers.page_with(README, WRITER, {"accuracy": content})


def rates_section():
    """Of the study of learning rates: a row per set, rate and seed."""
    read = json.loads((cells.RESULTS / "rates.json").read_text())
    protocol, done = read["protocol"], read["cells"]
    header = ["set", "epochs", "learning rate", "warm-up, epochs", "seed", "last epoch", "mean of the last three"]
    rows = []
    for cell in done:
        last = pair(cell[name][-1] for name in METRICS)
        three = pair(statistics.mean(cell[name][-3:]) for name in METRICS)
        rows.append([SETS[cell["set"]], str(len(cell["map50"])), f"{cell['lr']:g}", f"{cell['warmup']:g}", str(cell["seed"]), last, three])
    made = (f"{protocol['model']} from scratch at {protocol['size']} pixels, batches of {protocol['batch']}; "
            f"on {cells.machines(done)}.")
    return made + "\n\n" + cells.table(header, rows, 1)


def spread(values):
    """Mean, and where there are several their smallest and largest."""
    mean = f"{statistics.mean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.3f} to {max(values):.3f})"


def beside_section():
    """Of the study beside Ultralytics: a row per set and number of epochs, each side's means over the seeds that it has."""
    file = cells.RESULTS / "beside.json"
    read = json.loads(file.read_text()) if file.exists() else {"cells": []}
    arms = {}
    for cell in read["cells"]:
        arms.setdefault((cell["set"], cell["epochs"]), {}).setdefault(cell["arm"], []).append(cell)
    header, rows = ["set", "epochs", "seeds", "letterpress: mAP50", "mAP50-95", "on", "seeds", "Ultralytics: mAP50", "mAP50-95", "on"], []
    for (name, epochs), of_arm in sorted(arms.items()):
        sides = [of_arm.get(arm, []) for arm in ("letterpress", ULTRALYTICS)]
        means = [[str(len(side)), *(spread([cell[metric][-1] for cell in side]) if side else "not measured" for metric in METRICS), cells.machines(side)]
                 for side in sides]
        rows.append([name, str(epochs), *means[0], *means[1]])
    if not rows:
        return "No training is finished yet."
    protocol = read["protocol"]
    versions = ", ".join(sorted({cell["version"] for cell in read["cells"] if "version" in cell}))
    made = (f"{protocol['model']} from scratch at {protocol['size']} pixels, batches of {protocol['batch']}, last epoch; Ultralytics {versions}. "
            f"Behind a mean stand the smallest and the largest of the seeds.")
    return made + "\n\n" + cells.table(header, rows, 1)


def few_row(arm, flags, cells_of, rare):
    others = [[value for name, value in cell["ap50"].items() if name != rare] for cell in cells_of]
    recalls = [[value for name, value in cell["recall"].items() if name != rare] for cell in cells_of]
    columns = [[cell["recall"][rare] for cell in cells_of], [statistics.mean(values) for values in recalls],
               [cell["recall_all"] for cell in cells_of], [cell["ap50"][rare] for cell in cells_of], [statistics.mean(values) for values in others]]
    named = f"`{flags}`" if flags else "nothing"
    return [named, str(cells_of[0]["epochs"]), str(len(cells_of)), *map(spread, columns)]


def few_section():
    """Of the study of few and hard examples: a row per arm, means over the seeds."""
    file = cells.RESULTS / "few-160.json"
    if not file.exists():
        return "No training is finished yet."
    read = json.loads(file.read_text())
    protocol, done = read["protocol"], read["cells"]
    rare = protocol["rare"]
    header = ["flags", "epochs", "seeds", f"recall of {rare}", "of the others, mean", "of all, counted together", f"AP50 of {rare}", "of the others"]
    rows = []
    for arm, flags in protocol["arms"].items():
        cells_of = [cell for cell in done if cell["arm"] == arm]
        if cells_of:
            rows.append(few_row(arm, flags, cells_of, rare))
    made = (f"{protocol['train']} squares with defects of the other classes, {protocol['train_empty']} without any, {protocol['examples']} objects of {rare}; "
            f"{protocol['test']} and {protocol['test_empty']} squares to measure on. {protocol['base_epochs']} epochs without {rare} first, batches of "
            f"{protocol['batch']}, last epoch; {len(done)} trainings on {cells.machines(done)}. "
            "Behind a mean stand the smallest and the largest of the seeds.")
    return made + "\n\n" + cells.table(header, rows, 1)


def deeppcb_section():
    """Of DeepPCB by its own lists: a row per arm and seed, with the recall at each precision and the false detections that it costs."""
    rows, made, asked = [], [], [f"recall at {100 * precision:.0f} %" for precision in deeppcb.PRECISIONS]
    for file in sorted(cells.RESULTS.glob("deeppcb-*.json")):
        read = json.loads(file.read_text())
        protocol = read["protocol"]
        made.append(f"{protocol['model']} from scratch at {protocol['size']} pixels, {protocol['precision']}, {protocol['views']} views; "
                    f"on {cells.machines(read['cells'])}.")
        for cell in read["cells"]:
            points = cell["points"] or [{} for _ in asked]
            found = [f"{point['recall']:.3f} ({point['false_per_picture']:.3f})" if "recall" in point else "never" if point else "" for point in points]
            epochs = len(cell["map50"])
            trained = f"{epochs}" if epochs == protocol["epochs"] else f"{epochs} of {protocol['epochs']}"
            rows.append([cell["arm"], trained, str(cell["seed"]), *map(pair, measured(cell)[:2]), *found])
    if not rows:
        return "No training is finished yet."
    return " ".join(made) + "\n\n" + cells.table(["recipe, flags of fit", "epochs", "seed", "last epoch", "mean of the last three", *asked], rows, 1)


def boards_section():
    """Of DeepPCB: where the detections of two of these trainings are wrong, by the board of the picture."""
    file = cells.RESULTS / "boards.json"
    if not file.exists():
        return "Not measured yet."
    runs = json.loads(file.read_text())
    about = [f"`{name}`: {run['false']} false detections at a confidence of {run['confidence']} (the best F1); "
             + ", ".join(f"{100 * point['precision']:.0f} % precision with a recall of {point['recall']:.3f} at {point['false_per_picture']:.2f} false ones per picture"
                         for point in run["inspection"]) + "." for name, run in runs.items()]
    first = next(iter(runs.values()))
    rows = [[one["board"], "yes" if one["trained_on"] else "no", str(one["pictures"])] for one in first["boards"]]
    rows += [[one["part"], "", str(one["pictures"])] for one in first["parts"]]
    for run in runs.values():
        of_name = {one.get("board") or one["part"]: one for one in run["boards"] + run["parts"]}
        if sorted(of_name) != sorted(row[0] for row in rows):
            raise SystemExit("page.py: the runs in boards.json have other boards or parts than each other")
        for row in rows:
            one = of_name[row[0]]
            row += [pair((one["map50"], one["map50_95"])), str(one.get("false", ""))]
    header = ["board", "in the train list", "pictures"] + [word for name in runs for word in (name, "false")]
    return "\n\n".join(about) + "\n\n" + cells.table(header, rows, 2)


def finetune_section():
    """Of start weights: a row per start, arm and seed, with the first epoch, which tells whether a rate wrecks them."""
    file = cells.RESULTS / "finetune.json"
    if not file.exists():
        return "No training is finished yet."
    read = json.loads(file.read_text())
    protocol, done = read["protocol"], read["cells"]
    starts = {"other": ("DeepPCB's", f"{protocol['few']} pictures of BCCD"), "same": ("BCCD's own", "all of them")}
    names = {"scratch": "from scratch, its default"}

    def start_of(cell):
        start, trained_on = starts[cell["start"]]
        return f"{'none' if cell['arm'] == 'scratch' else start}, {trained_on}"

    rows = [[start_of(cell), str(protocol["epochs"][cell["start"]]), names.get(cell["arm"], cell["arm"].replace("=", " ")), str(cell["seed"]),
             pair((cell["map50"][0], cell["map50_95"][0])), *map(pair, measured(cell))] for cell in done]
    header = ["start weights, trained on", "epochs", "flags", "seed", "first epoch", "last epoch", "mean of the last three", "best epoch"]
    made = f"{protocol['model']} at {protocol['size']} pixels, batches of {protocol['batch']}; on {cells.machines(done)}."
    return made + "\n\n" + cells.table(header, rows, 3)


def cifar_section():
    """Of the classifier: a row per arm and seed, a mean of each arm's seeds, and beside them what was asked for."""
    rows, made = [], []
    for file in sorted(cells.RESULTS.glob("cifar10-*.json"), key=lambda file: int(file.stem.split("-")[1])):
        read = json.loads(file.read_text())
        protocol, done = read["protocol"], read["cells"]
        made.append(f"{protocol['model']} from scratch, {protocol['epochs']} epochs, batches of {protocol['batch']}, {protocol['optimiser']}, {protocol['schedule']} "
                    f"to {protocol['lr']:g}, {protocol['precision']}, {protocol['views']} views; on {cells.machines(done)}.")
        for arm in dict.fromkeys(cell["arm"] for cell in done):
            of_arm = [cell for cell in done if cell["arm"] == arm]
            ways = [[cell["top1"][-1], statistics.mean(cell["top1"][-3:]), max(cell["top1"])] for cell in of_arm]
            labelled = list(zip([str(cell["seed"]) for cell in of_arm], ways))
            if len(of_arm) > 1:
                labelled.append(("mean", [statistics.mean(values) for values in zip(*ways)]))
            rows += [[arm.replace("=", " "), str(protocol["epochs"]), seed, *(f"{value:.4f}" for value in values)] for seed, values in labelled]
        rows.append(["needed", str(protocol["epochs"]), "", f"{protocol['wanted']['top1']:.4f}", "", ""])
    if not rows:
        return "No training is finished yet."
    return " ".join(made) + "\n\n" + cells.table(["recipe, flags of fit", "epochs", "seed", "last epoch", "mean of the last three", "best epoch"], rows, 1)


def page():
    texts = {"study": "\n\n".join(section(*study) for study in studies()), "defaults": defaults_section(), "beside": beside_section(),
             "rates": rates_section(), "deeppcb": deeppcb_section(),
             "boards": boards_section(), "finetune": finetune_section(), "cifar": cifar_section(), "few": few_section()}
    return markers.page_with(PAGE, WRITER, texts)


def tiles():
    texts = {"tiles": tiles_page.section(), "time of tiles": tiles_page.time_section(), "memory of tiles": tiles_page.memory_section()}
    return markers.page_with(TILES, WRITER, texts)


def plot(protocol, results, pyplot):
    """A curve per arm, means over its seeds."""
    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4))
    for arm in dict.fromkeys(cell["arm"] for cell in sorted(results, key=order)):
        runs = [cell for cell in results if cell["arm"] == arm]
        epochs = range(1, protocol["epochs"] + 1)
        mean = [statistics.mean(values) for values in zip(*(cell["map50_95"] for cell in runs))]
        axes[0].plot(epochs, mean, label=label(runs[0]))
        if "loss" in runs[0]:
            axes[1].plot(epochs, [statistics.mean(values) for values in zip(*(cell["loss"] for cell in runs))])
        else:
            axes[1].plot([], [])
    axes[0].set(xlabel="epoch", ylabel="mAP50-95 of the val split", ylim=(0, None))
    axes[1].set(xlabel="epoch", ylabel="loss per training picture")
    axes[0].legend(fontsize=8, title="views")
    figure.tight_layout()
    figure.savefig(IMAGES / f"{name_of(protocol)}.svg", metadata={"Date": None})


def draw():
    try:
        import matplotlib
    except ImportError:
        print("page.py: no matplotlib, the plots stay as they are", file=sys.stderr)
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "letterpress"  # the same file from the same results
    from matplotlib import pyplot

    for protocol, results in studies():
        plot(protocol, results, pyplot)


def main():
    made = {PAGE: page(), README: readme(), TILES: tiles()}
    if "--check" in sys.argv:
        stale = [file.name for file, text in made.items() if text != file.read_text()]
        return f"{' and '.join(stale)}: not what the results say; run scripts/study/page.py" if stale else 0
    for file, text in made.items():
        file.write_text(text)
    draw()
    return 0


if __name__ == "__main__":
    sys.exit(main())
