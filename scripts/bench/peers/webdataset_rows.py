"""Rate of WebDataset, raw pixels in a tar, shuffled in memory, two workers. usage: webdataset_rows.py FOLDER bytes|float32  ->  one JSON line"""
import torch
import webdataset

import rows

TARS = 4


def write(target):
    datasets = rows.shards(target.parent)
    sinks = [webdataset.TarWriter(str(target / f"{i}.tar")) for i in range(TARS)]
    for i, (shard, row) in enumerate(rows.places(datasets)):
        sinks[i % TARS].write({"__key__": f"{i:06d}", "pixels": datasets[shard][row].tobytes()})
    for sink in sinks:
        sink.close()


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder, pixels = rows.arguments()
    tars = rows.own_copy(folder, "webdataset", write)
    images = rows.shards(folder)
    side, count = images[0].shape[1], len(rows.places(images))

    def picture(sample):
        flat = torch.frombuffer(bytearray(sample["pixels"]), dtype=torch.uint8).view(side, side, 3)
        return flat if pixels == "bytes" else flat.float().div_(255)

    dataset = webdataset.WebDataset([str(path) for path in sorted(tars.glob("*.tar"))], shardshuffle=TARS, empty_check=False)
    dataset = dataset.shuffle(200).map(picture)
    loader = torch.utils.data.DataLoader(dataset, rows.BATCH, num_workers=rows.WORKERS, persistent_workers=True)
    rows.measure(loader, count, "webdataset", "torch")
