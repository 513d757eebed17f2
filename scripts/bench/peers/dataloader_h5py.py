"""Rate of PyTorch's DataLoader over our own shards by h5py, two workers. usage: dataloader_h5py.py FOLDER bytes|float32  ->  one JSON line"""
import torch

import rows


class Rows(torch.utils.data.Dataset):
    def __init__(self, folder, pixels):
        self.folder, self.pixels, self.datasets = folder, pixels, None
        self.places = rows.places(rows.shards(folder))

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        if self.datasets is None:  # opened in the worker: HDF5 does not survive a fork
            self.datasets = rows.shards(self.folder)
        shard, row = self.places[index]
        picture = torch.from_numpy(self.datasets[shard][row])
        return picture if self.pixels == "bytes" else picture.float().div_(255)


if __name__ == "__main__":
    torch.set_num_threads(1)
    dataset = Rows(*rows.arguments())
    loader = torch.utils.data.DataLoader(dataset, rows.BATCH, shuffle=True, num_workers=rows.WORKERS, persistent_workers=True)
    rows.measure(loader, len(dataset), "torch", "h5py")
