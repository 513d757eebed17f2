#!/usr/bin/env python3
"""A store as PyTorch's datasets: by batches, which threads of Letterpress read, and by pictures, for code that wants to draw them itself.

usage: samples/python/torch_dataset.py STORE [--workers 0]
needs: pip install letterpress torch
"""
import argparse

import letterpress
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Batches(IterableDataset):
    """For DataLoader(batch_size=None, num_workers=0): the readers are threads already. One pass is an epoch."""

    def __init__(self, loader):
        self.loader, self.batches = loader, len(loader)

    def __iter__(self):
        self.batches = len(self.loader)  # of this pass; the loader counts what is left of it
        for batch in self.loader:
            images = torch.from_dlpack(batch.images).permute(0, 3, 1, 2)  # uint8 [B, 3, S, S], channels_last
            yield {"images": images, "boxes": batch.boxes, "counts": batch.counts, "picture_ids": batch.picture_ids.tolist()}

    def __len__(self):
        return self.batches


class Pictures(Dataset):
    """Clean views by number, for any sampler and any number of workers: a split may be pickled and forked."""

    def __init__(self, split):
        self.split = split

    def __len__(self):
        return len(self.split)

    def __getitem__(self, index):
        row = self.split[index]
        image = torch.from_numpy(row.image.copy()).permute(2, 0, 1)  # the store's memory is read-only
        return {"image": image, "boxes": torch.from_numpy(row.boxes), "picture": row.picture}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--workers", type=int, default=0, help="processes that read single pictures")
    arguments = parser.parse_args()
    store = letterpress.open(arguments.store)
    batches = DataLoader(Batches(letterpress.Loader(store, "train", batch=8)), batch_size=None, num_workers=0)
    for epoch in range(2):
        seen = [batch["images"].shape[0] for batch in batches]
        print(f"epoch {epoch}: {len(seen)} batches, {sum(seen)} rows")
    pictures = DataLoader(Pictures(store["train"]), batch_size=8, shuffle=True, num_workers=arguments.workers, collate_fn=list)
    boxes = sum(len(picture["boxes"]) for batch in pictures for picture in batch)
    print(f"{len(store['train'])} pictures one by one: {boxes} boxes")


if __name__ == "__main__":
    main()
