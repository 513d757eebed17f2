"""Rate of MosaicML Streaming, raw pixels in its MDS shards, two workers. usage: mosaicml_rows.py FOLDER bytes|float32  ->  one JSON line"""
import torch
from streaming import MDSWriter, StreamingDataset

import rows


def write(target):
    datasets = rows.shards(target.parent)
    with MDSWriter(out=str(target), columns={"pixels": "bytes"}) as writer:
        for shard, row in rows.places(datasets):
            writer.write({"pixels": datasets[shard][row].tobytes()})


class Rows(StreamingDataset):
    def __init__(self, side, pixels, **options):
        super().__init__(**options)
        self.side, self.pixels = side, pixels

    def __getitem__(self, index):
        flat = torch.frombuffer(bytearray(super().__getitem__(index)["pixels"]), dtype=torch.uint8).view(self.side, self.side, 3)
        return flat if self.pixels == "bytes" else flat.float().div_(255)


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder, pixels = rows.arguments()
    local = rows.own_copy(folder, "mosaicml", write)
    dataset = Rows(rows.shards(folder)[0].shape[1], pixels, local=str(local), shuffle=True, batch_size=rows.BATCH)
    loader = torch.utils.data.DataLoader(dataset, rows.BATCH, num_workers=rows.WORKERS, persistent_workers=True)
    rows.measure(loader, dataset.num_samples, "mosaicml-streaming", "torch")
