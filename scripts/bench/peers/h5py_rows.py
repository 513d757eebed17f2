"""Rate of h5py reading our own shards into a batch, one thread. usage: h5py_rows.py FOLDER bytes|float32  ->  one JSON line"""
import random

import numpy

import rows

folder, pixels = rows.arguments()
datasets = rows.shards(folder)
every = rows.places(datasets)
batch = numpy.empty((rows.BATCH, *datasets[0].shape[1:]), numpy.uint8)


def epoch():
    random.shuffle(every)
    for first in range(0, len(every) - rows.BATCH + 1, rows.BATCH):
        for i, (shard, row) in enumerate(every[first : first + rows.BATCH]):
            datasets[shard].read_direct(batch, numpy.s_[row], numpy.s_[i])
        yield batch if pixels == "bytes" else rows.normalised(batch)


class Epochs:
    def __iter__(self):
        return epoch()


rows.measure(Epochs(), len(every), "h5py", "numpy")
