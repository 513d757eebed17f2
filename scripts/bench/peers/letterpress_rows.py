"""Rate of our Python package over the store, two readers. usage: letterpress_rows.py FOLDER bytes|float32  ->  one JSON line

PYTHONPATH names the folder of the package, build/release/python.
"""
import letterpress

import rows

folder, pixels = rows.arguments()
snapshot = letterpress.open(folder / "store")
loader = letterpress.Loader(snapshot, batch=rows.BATCH, views="clean", dtype="uint8" if pixels == "bytes" else pixels, readers=rows.WORKERS)


class Images:
    def __iter__(self):
        for batch in loader:
            yield batch.images


rows.measure(Images(), len(snapshot["train"]), "numpy")
