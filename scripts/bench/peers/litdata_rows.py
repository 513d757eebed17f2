"""Rate of LitData, raw pixels in its chunks, two workers. usage: litdata_rows.py FOLDER bytes|float32  ->  one JSON line"""
import contextlib
import sys

import litdata
import torch

import rows


def write(target):
    datasets = rows.shards(target.parent)
    writer = litdata.streaming.writer.BinaryWriter(str(target), chunk_bytes="64MB")
    for i, (shard, row) in enumerate(rows.places(datasets)):
        writer[i] = {"pixels": datasets[shard][row].tobytes()}
    writer.done()
    writer.merge(1)


class Rows(litdata.StreamingDataset):
    side, pixels = 0, "bytes"

    def __getitem__(self, index):
        flat = torch.frombuffer(bytearray(super().__getitem__(index)["pixels"]), dtype=torch.uint8).view(self.side, self.side, 3)
        return flat if self.pixels == "bytes" else flat.float().div_(255)


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder, pixels = rows.arguments()
    with contextlib.redirect_stdout(sys.stderr):
        dataset = Rows(str(rows.own_copy(folder, "litdata", write)), shuffle=True, drop_last=False)
        dataset.side, dataset.pixels = rows.shards(folder)[0].shape[1], pixels
        loader = litdata.StreamingDataLoader(dataset, batch_size=rows.BATCH, num_workers=rows.WORKERS, persistent_workers=True)
    rows.measure(loader, len(dataset), "litdata", "torch")
