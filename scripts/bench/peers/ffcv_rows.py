"""Rate of FFCV, raw pixels in its file, two workers. usage: ffcv_rows.py FOLDER bytes|float32  ->  one JSON line"""
import numpy
from ffcv.fields import NDArrayField
from ffcv.fields.decoders import NDArrayDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.writer import DatasetWriter

import rows


class Rows:
    def __init__(self, folder):
        self.datasets = rows.shards(folder)
        self.places = rows.places(self.datasets)

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        shard, row = self.places[index]
        return (self.datasets[shard][row],)


def write(target):
    dataset = Rows(target.parent)
    field = NDArrayField(shape=dataset.datasets[0].shape[1:], dtype=numpy.dtype("uint8"))
    DatasetWriter(str(target / "rows.beton"), {"pixels": field}, num_workers=1).from_indexed_dataset(dataset)


class Batches:
    def __init__(self, loader, pixels):
        self.loader, self.pixels = loader, pixels

    def __iter__(self):
        for (batch,) in self.loader:
            yield batch if self.pixels == "bytes" else rows.normalised(numpy.asarray(batch))


if __name__ == "__main__":
    folder, pixels = rows.arguments()
    path = rows.own_copy(folder, "ffcv", write) / "rows.beton"
    loader = Loader(str(path), batch_size=rows.BATCH, num_workers=rows.WORKERS, order=OrderOption.RANDOM, os_cache=True, drop_last=True,
                    pipelines={"pixels": [NDArrayDecoder()]})
    rows.measure(Batches(loader, pixels), len(Rows(folder)), "ffcv", "numpy")
