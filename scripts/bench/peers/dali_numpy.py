"""Rate of DALI's numpy reader on the CPU, one file per row, two threads. usage: dali_numpy.py FOLDER bytes|float32  ->  one JSON line"""
import numpy
from nvidia.dali import fn, pipeline_def, types

import rows


def write(target):
    datasets = rows.shards(target.parent)
    for i, (shard, row) in enumerate(rows.places(datasets)):
        numpy.save(target / f"{i:06d}.npy", datasets[shard][row])


@pipeline_def(batch_size=rows.BATCH, num_threads=rows.WORKERS, device_id=None)
def pipeline(folder, pixels):
    pictures = fn.readers.numpy(device="cpu", file_root=str(folder), file_filter="*.npy", random_shuffle=True, initial_fill=200)
    return pictures if pixels == "bytes" else fn.cast(pictures, dtype=types.FLOAT) * (1 / 255)


class Batches:
    def __init__(self, pipe):
        self.pipe = pipe

    def __iter__(self):
        while True:
            yield self.pipe.run()[0]


if __name__ == "__main__":
    asked = rows.arguments()
    pipe = pipeline(rows.own_copy(asked[0], "dali", write), asked[1])
    pipe.build()
    rows.measure(Batches(pipe), len(rows.places(rows.shards(asked[0]))), "nvidia-dali-cuda130")
