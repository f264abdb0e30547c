"""Batches as a torch dataset, for loops that are built around one.

dataset = BatchDataset(partial(batches, "runs/demo/shards", batch=64, start_step=1000))
for batch in DataLoader(dataset, batch_size=None):
    loss = model(batch["inputs"], batch["positions"], batch["targets"])
"""

from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from corpusforge.errors import ConfigError
from corpusforge.training.data import Batch


class BatchDataset(IterableDataset[dict[str, Tensor]]):
    """Whole batches as tensors; every iteration starts from where `start` does."""

    def __init__(self, start: Callable[[], Iterable[Batch]]) -> None:
        """Wrap a function that starts batches, such as a `functools.partial` of `batches`."""
        super().__init__()
        self.start = start

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """`inputs`, `targets` and `positions`, each of shape (windows, S), int64.

        Raises:
            ConfigError: Several worker processes would each deliver all batches.
        """
        worker = get_worker_info()
        if worker is not None and worker.num_workers > 1:
            raise ConfigError(
                f"num_workers={worker.num_workers} would deliver every batch that many times; use "
                f"num_workers=0, which is also the fastest: a thread reads ahead"
            )
        for batch in self.start():
            yield {
                "inputs": torch.from_numpy(batch.inputs),
                "targets": torch.from_numpy(batch.targets),
                "positions": torch.from_numpy(batch.positions),
            }
