"""Out-of-fold predictions: a model per fold, which has not seen the fold's labels."""
import concurrent.futures
import json

import judge
import sets


def train(programs, whole, held, folder, options):
    """Detections of the pictures `held` by a model trained on all others, as COCO results; goes on with what is in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / "found.json"
    rest = {image["id"] for image in whole["images"]} - held
    train_file = sets.write_once(sets.part_of(whole, rest), folder / "train.json")
    held_file = sets.write_once(sets.part_of(whole, held), folder / "held.json")
    if not found.exists():
        store = folder / "store"
        sets.build(programs, store, [train_file], "--split", f"held={held_file}", "--size", options.size, "--views", options.views, "--allow-outside",
                   "--threads", options.threads, *options.build)
        sets.run(programs / "letterpress-trainer", "fit", "--store", store, "--out", folder / "run", "--model", options.model, "--epochs",
                 options.epochs, "--batch", options.batch, "--seed", options.seed, "--device", options.device, "--threads", options.threads,
                 "--resume", *options.fit)
        sets.run(programs / "letterpress-trainer", "eval", "--store", store, "--checkpoint", folder / "run/last.safetensors", "--split", "held",
                 "--device", options.device, "--threads", options.threads, "--coco-out", found)
    return json.loads(found.read_text())


def predictions(programs, whole, folds, folder, options):
    """All pictures' detections, each by the model that has not seen the picture; options.jobs models at a time."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        works = [pool.submit(train, programs, whole, held, folder / f"fold-{i}", options) for i, held in enumerate(folds, 1)]
        return [one for work in works for one in work.result()]


def findings(programs, whole, folder, options):
    """What the labels' judges, each trained on the other folds, find in all of them, the worst first."""
    split = sets.folds_of(programs, whole, options.folds, folder / "folds")
    return judge.judge(whole["annotations"], predictions(programs, whole, split, folder, options))
