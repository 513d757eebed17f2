"""What torchrun starts: writes the rows that a rank's loader gives.

usage: rank_rows.py STORE OUT BATCHES      OUT/RANK.json: [[picture id, view], ...]
"""

import itertools
import json
import os
import pathlib
import sys

import letterpress

store, out, batches = sys.argv[1:]
rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
loader = letterpress.Loader(letterpress.open(store), "train", batch=6, seed=7, rank=rank, world_size=world_size)
endless = itertools.chain.from_iterable(itertools.repeat(loader))
rows = [[int(picture), int(view)] for batch in itertools.islice(endless, int(batches)) for picture, view in zip(batch.picture_ids, batch.views)]
pathlib.Path(out, f"{rank}.json").write_text(json.dumps(rows))
