"""A set of pictures with labels, as one COCO object: from any files that `letterpress-preprocess build` reads, and in folds."""
import json
import subprocess

ANY_SIZE = 64  # pixels: the stores made here only say what there is


class Failed(Exception):
    """A program did not do its work; the text has its command and what it said."""


def run(*words):
    """The last line of stdout."""
    words = [str(word) for word in words]
    finished = subprocess.run(words, capture_output=True, text=True)
    if finished.returncode != 0:
        said = "\n".join(finished.stderr.strip().splitlines()[-5:])
        raise Failed(f"{' '.join(words)}: exit {finished.returncode}: {said}")
    return (finished.stdout.strip().splitlines() or [""])[-1]


def build(programs, store, inputs, *flags):
    words = [word for one in inputs for word in ("--input", one)]
    run(programs / "letterpress-preprocess", "build", "--store", store, *words, *flags, "--json")


def pictures_of(programs, store):
    """Stored pictures of the store's ledger."""
    line = run(programs / "letterpress-preprocess", "ledger", "--store", store, "--state", "stored", "--json")
    return json.loads(line)["pictures"]


def labels_of(programs, store, split, file):
    """COCO object of a split's labels, written to `file`."""
    nothing = file.with_suffix(".none")
    nothing.write_text("[]\n")
    run(programs / "letterpress-trainer", "eval", "--store", store, "--split", split, "--detections", nothing, "--coco-truth-out", file)
    return json.loads(file.read_text())


def united(parts, pictures):
    """One COCO object of the splits' objects: ids count on, pictures are called by their paths. parts: {split: COCO object}."""
    places = {(one["split"], name): one for one in pictures for name in (one["path"], one["name"])}
    whole = {"images": [], "annotations": [], "categories": next(iter(parts.values()))["categories"]}
    for split, part in parts.items():
        ids = {}
        for image in part["images"]:
            place = places[split, image["file_name"]]
            ids[image["id"]] = len(whole["images"]) + 1
            whole["images"].append(image | {"id": ids[image["id"]], "file_name": place["path"], "where": place["where"]})
        for one in part["annotations"]:
            whole["annotations"].append(one | {"id": len(whole["annotations"]) + 1, "image_id": ids[one["image_id"]]})
    return whole


def gather(programs, inputs, folder, flags=()):
    """All pictures and labels of `inputs`, whatever their splits; a store and the splits' labels stay in `folder`."""
    store = folder / "all"
    build(programs, store, inputs, "--size", ANY_SIZE, "--views", 0, *flags)
    pictures = pictures_of(programs, store)
    splits = sorted({one["split"] for one in pictures})
    return united({split: labels_of(programs, store, split, folder / f"labels-{split}.json") for split in splits}, pictures)


def part_of(whole, chosen):
    """The COCO object of the pictures whose ids are `chosen`."""
    return whole | {"images": [one for one in whole["images"] if one["id"] in chosen],
                    "annotations": [one for one in whole["annotations"] if one["image_id"] in chosen]}


def write(whole, file):
    file.write_text(json.dumps(whole) + "\n")
    return file


def write_once(whole, file):
    """As write(), but what is there already must be the same."""
    if file.exists() and file.read_text() != json.dumps(whole) + "\n":
        raise Failed(f"{file}: is of other pictures or labels; remove {file.parent.parent}, or give another folder")
    return write(whole, file)


def folds_of(programs, whole, n, folder):
    """Ids of the pictures of each of n folds of equal size: each fold is the val split of what is left, so pictures of one scene stay together."""
    folder.mkdir(parents=True, exist_ok=True)
    by_path = {image["file_name"]: image["id"] for image in whole["images"]}
    rest, folds = set(by_path.values()), []
    for left in range(n, 1, -1):
        store = folder / f"folds-{left}"
        file = write(part_of(whole, rest), folder / f"rest-{left}.json")
        build(programs, store, [file], "--size", ANY_SIZE, "--views", 0, "--val", f"{100 / left:.6f}%", "--allow-outside")
        folds.append({by_path[one["path"]] for one in pictures_of(programs, store) if one["split"] == "val"})
        rest -= folds[-1]
    return [*folds, rest]
