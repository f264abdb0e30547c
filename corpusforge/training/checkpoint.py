"""Checkpoints of a run, from which it continues as if it had never stopped.

All ranks write their part of `step-<steps done>.tmp`; when every part is on disk, the folder loses
its suffix, LATEST names it, and all but the last few are removed. Parameters, the optimizer's
state and streams are stored as whole tensors, whatever the ranks hold of them, and the data order
needs no state: a run may continue on another number of ranks.
"""

import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn
from torch.distributed.checkpoint import state_dict_loader, state_dict_saver
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.tensor import DTensor, Shard

from corpusforge.errors import FormatError, RunError
from corpusforge.formats.atomic import publish_folder, write_atomic
from corpusforge.training import checkpoint_files as files
from corpusforge.training.checkpoint_files import Description, Written
from corpusforge.training.identity import Identity
from corpusforge.training.noise import NoiseScale
from corpusforge.training.parallel import mesh_of_all

LATEST = "LATEST"
PARTIAL = ".tmp"
T = TypeVar("T")
PATIENCE = timedelta(hours=1)  # for the slowest rank to write its part


@dataclass(frozen=True, eq=False)
class State:
    """All that changes during a run; loading changes it in place.

    `streams` are tensors of which each rank holds an equal part, in the order of the ranks, such
    as the hidden state of a recurrent model: shape (streams of this rank, ...).
    """

    model: nn.Module
    optimizer: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    streams: dict[str, Tensor] = field(default_factory=dict)
    noise: NoiseScale = field(default_factory=NoiseScale)

    def tensors(self) -> dict[str, Any]:
        """Views of all that is stored as tensors; makes the optimizer's if it has none yet."""
        model, optimizer = get_state_dict(self.model, self.optimizer)
        streams = {
            name: DTensor.from_local(part, mesh_of_all(part.device), [Shard(0)])
            for name, part in self.streams.items()
        }
        return {"model": model, "optimizer": optimizer, "streams": streams}


@dataclass(frozen=True, eq=False)
class _Pending:
    """A checkpoint that is being written."""

    folder: Path  # its name until it is complete
    steps_done: int
    scaler: dict[str, int | float]
    noise: NoiseScale
    written: Future[dict[str, Written]]  # by this rank


@dataclass(eq=False)
class Checkpoints:
    """The checkpoints of one run, and of no other. Every method is to be called on all ranks."""

    folder: Path
    identity: Identity
    group: distributed.ProcessGroup  # of these checkpoints alone: they may be written in a thread
    pending: _Pending | None = None

    @classmethod
    def of(cls, folder: Path, identity: Identity) -> "Checkpoints":
        """The checkpoints in a folder, which need not exist."""
        return cls(folder, identity, distributed.new_group(backend="gloo", timeout=PATIENCE))

    def save(self, steps_done: int, state: State) -> None:
        """Write a checkpoint. With `async_checkpoints`, it is complete after `settle` or `finish`.

        Raises:
            RunError: This one, or the one that was still being written, does not get to the disk.
        """
        self.finish()
        partial = self.folder / f"step-{steps_done:08d}{PARTIAL}"
        write = _in_background if self.identity.config.execution.async_checkpoints else _at_once
        written = write(state.tensors(), partial, self.group)
        scaler, noise = state.scaler.state_dict(), replace(state.noise)
        self.pending = _Pending(partial, steps_done, scaler, noise, written)
        if not self.identity.config.execution.async_checkpoints:
            self.finish()

    def settle(self) -> None:
        """Complete the checkpoint that is being written if every rank has written its part."""
        if self.pending is not None:
            done = torch.tensor(self.pending.written.done(), dtype=torch.int32)
            distributed.all_reduce(done, distributed.ReduceOp.MIN)
            if done:
                self.finish()

    def finish(self) -> None:
        """Wait until the checkpoint that is being written is complete.

        Raises:
            RunError: It does not get to the disk.
        """
        pending, self.pending = self.pending, None
        if pending is None:
            return
        try:
            mine = pending.written.result()
        except CheckpointException as error:
            raise RunError(
                f"{pending.folder} could not be written: {_reason(error)}, with "
                f"{_free(self.folder)} bytes free; make that possible, and the same command "
                f"continues from the checkpoint before"
            ) from error
        parts = _gather(mine, self.group)
        if distributed.get_rank() == 0:
            every = {name: file for part in parts for name, file in part.items()}
            self._publish(pending, every)

    def load(self, state: State) -> int:
        """Put the latest checkpoint into a state; the steps done, 0 if there is none.

        Raises:
            ConfigError: The run was started with another configuration or on another corpus.
            FormatError: LATEST names no checkpoint, or one that is damaged; nothing is loaded.
        """
        latest: list[Any] = [self._latest() if distributed.get_rank() == 0 else None]
        distributed.broadcast_object_list(latest, 0, group=self.group)
        if latest[0] is None:
            return 0
        folder, description = latest[0]
        self.identity.check(folder, description.identity)
        rank, ranks = distributed.get_rank(), distributed.get_world_size()
        parts = _gather(files.damage(folder, description, rank, ranks), self.group)
        if found := [each for part in parts for each in part]:
            raise FormatError(f"{folder} is damaged: {', '.join(found)}; {files.advice(folder)}")
        tensors = state.tensors()
        state_dict_loader.load(tensors, checkpoint_id=folder, process_group=self.group)
        set_state_dict(
            state.model,
            state.optimizer,
            model_state_dict=tensors["model"],
            optim_state_dict=tensors["optimizer"],
        )
        state.scaler.load_state_dict(description.scaler)
        state.noise.signal, state.noise.noise = description.noise.signal, description.noise.noise
        return int(description.steps_done)

    def _latest(self) -> tuple[Path, Description] | None:
        """What LATEST names; what a killed run left half-written is removed."""
        for partial in self.folder.glob(f"step-*{PARTIAL}"):
            shutil.rmtree(partial)
        latest = self.folder / LATEST
        if not latest.is_file():
            return None
        folder = self.folder / latest.read_text().strip()
        if not folder.is_dir():
            raise FormatError(
                f"{latest} names {folder.name}, which is no folder; {files.advice(folder)}"
            )
        return folder, files.read_description(folder)

    def _publish(self, pending: _Pending, written: dict[str, Written]) -> None:
        files.write_description(
            pending.folder,
            Description(
                steps_done=pending.steps_done,
                ranks=distributed.get_world_size(),
                identity=self.identity.record(),
                scaler=pending.scaler,
                noise=pending.noise,
                files=written,
            ),
        )
        final = pending.folder.with_suffix("")
        publish_folder(pending.folder, final)
        write_atomic(self.folder / LATEST, final.name.encode())
        # Later ones are of a future that somebody gave up by changing LATEST: not ours to count.
        complete = sorted(self.folder.glob("step-" + "[0-9]" * 8))
        known = [path for path in complete if path.name <= final.name]
        for old in known[: -self.identity.config.execution.keep_checkpoints]:
            shutil.rmtree(old)


def _at_once(
    tensors: dict[str, Any], folder: Path, group: distributed.ProcessGroup
) -> Future[dict[str, Written]]:
    written: Future[dict[str, Written]] = Future()
    try:
        state_dict_saver.save(tensors, checkpoint_id=folder, process_group=group)
        written.set_result(files.written_by(folder, distributed.get_rank()))
    except CheckpointException as error:
        written.set_exception(error)
    return written


def _in_background(
    tensors: dict[str, Any], folder: Path, group: distributed.ProcessGroup
) -> Future[dict[str, Written]]:
    """Returns when the tensors are copied to the CPU's memory: training may then change them."""
    saving: Any = state_dict_saver.async_save(tensors, checkpoint_id=folder, process_group=group)

    def written() -> dict[str, Written]:
        saving.result()
        return files.written_by(folder, distributed.get_rank())

    pool = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
    future = pool.submit(written)
    pool.shutdown(wait=False)
    return future


def _gather(mine: T, group: distributed.ProcessGroup) -> list[T]:
    """What every rank has, in their order."""
    parts: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(parts, mine, group=group)
    return parts


def _reason(error: CheckpointException) -> str:
    """What the first rank that failed met with."""
    rank, (failure, _) = min(error.failures.items())
    return f"rank {rank}: {type(failure).__name__}: {failure}"


def _free(folder: Path) -> str:
    """Bytes left where a folder is or is to be: on a full disk errors do not always say so."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    return f"{shutil.disk_usage(there).free:,}"
