"""From MPI processes to a torch process group, and back. The only file that imports mpi4py.

MPI starts the ranks, tells each which it is, and carries one small message: where the store of
the process group listens. Tensors travel by gloo or NCCL, never by MPI. mpi4py is imported only
when a run starts, so that importing this package never initialises MPI.
"""

import gc
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import torch
from torch import distributed
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # not in its __all__

from corpusforge.errors import ConfigError, CorpusforgeError
from corpusforge.training.address import (
    LOOPBACK,
    VARIABLE,
    interface_towards,
    reachable_address,
)
from corpusforge.work import node_name

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

RENDEZVOUS_TIME = timedelta(minutes=5)
COLLECTIVE_TIME = "900"  # seconds; rank 0 may export a large model meanwhile
PATIENCE_VARIABLE = "CORPUSFORGE_COLLECTIVE_SECONDS"
LAST_WORDS = 0.5  # seconds for the launcher to pass on what a rank said before it ends the job
HEAD_START = 2.0  # seconds that rank 0 has to end the job, should all ranks meet the same error
# How many ranks this launcher started, most specific first: srun sets its own for mpiexec's
# daemons, so what mpiexec says about its processes counts more.
LAUNCHER_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE", "SLURM_STEP_NUM_TASKS")


@dataclass(frozen=True)
class World:
    """The ranks of this job, seen from one of them."""

    rank: int
    size: int
    local_rank: int  # among the ranks on this host
    hosts: tuple[str, ...]  # of each rank
    device: torch.device

    def add(self, *values: float) -> list[float]:
        """The sum of each value over all ranks, in double precision, the same on every rank."""
        total = torch.tensor(values, dtype=torch.float64, device=self.device)
        distributed.all_reduce(total)
        return total.tolist()

    def each(self, value: float) -> list[float]:
        """The value of every rank, in their order, the same on every rank."""
        return self.add(*(value if rank == self.rank else 0.0 for rank in range(self.size)))

    def add_counts(self, counts: torch.Tensor) -> torch.Tensor:
        """The sum of integer counts over all ranks."""
        total = counts.to(self.device)
        distributed.all_reduce(total)
        return total.cpu()


def launch(body: Callable[[World], int]) -> int:
    """Run `body` on every rank and return its exit status.

    A rank that fails prints why and ends the whole job at once: the others would otherwise wait
    for it inside a collective.
    """
    import mpi4py  # noqa: PLC0415

    mpi4py.rc.thread_level = "serialized"
    from mpi4py import MPI  # noqa: PLC0415

    world = MPI.COMM_WORLD
    try:
        check_size(world.size, os.environ)
        with _process_group(world, world.Split_type(MPI.COMM_TYPE_SHARED, key=world.rank)) as ranks:
            status = body(ranks)
        gc.collect()  # what body held (a DDP module) must go before the interpreter ends
        world.Barrier()
    except BaseException as error:
        expected = isinstance(error, CorpusforgeError)
        if expected and world.rank:
            time.sleep(HEAD_START)  # what every rank finds wrong is told once
        reason = str(error) if expected else f"failed\n{traceback.format_exc()}"
        # In one piece: print would write the end of the line apart, and ranks' lines would mix.
        sys.stderr.write(f"rank {world.rank} of {world.size}: {reason}\n")
        sys.stderr.flush()
        if world.size > 1:
            time.sleep(LAST_WORDS)
            world.Abort(1)
        if distributed.is_initialized():
            distributed.destroy_process_group()
        status = 1
    MPI.Finalize()  # `python -m mpi4py` aborts on a status other than 0 while MPI is running
    return status


def check_size(size: int, environment: Mapping[str, str]) -> None:
    """Refuse to run when the launcher started several ranks and each believes to be alone.

    Raises:
        ConfigError: That is so.
    """
    for name in LAUNCHER_SIZES:
        if name in environment:
            if size == 1 and int(environment[name]) > 1:
                raise ConfigError(
                    f"{name}={environment[name]}, but MPI says that this process is alone: the "
                    f"launcher and the MPI that mpi4py uses do not speak the same protocol. Use "
                    f"the mpiexec of that MPI, or name the protocol, as in `srun --mpi=pmi2`"
                )
            return


def thread_count(environment: Mapping[str, str], cpus: int, local_ranks: int) -> int:
    """Threads for this rank: what OMP_NUM_THREADS says, or an equal part of the host's CPUs."""
    wish = environment.get("OMP_NUM_THREADS", "")
    return int(wish) if wish.isdigit() and int(wish) else max(1, cpus // local_ranks)


def collective_time(environment: Mapping[str, str]) -> timedelta:
    """How long a rank waits for the others before it ends the job.

    Raises:
        ConfigError: The environment names no number of seconds.
    """
    wish = environment.get(PATIENCE_VARIABLE, COLLECTIVE_TIME)
    if not wish.isdigit() or not int(wish):
        raise ConfigError(f"{PATIENCE_VARIABLE}={wish} is no whole number of seconds above 0")
    return timedelta(seconds=int(wish))


@contextmanager
def _process_group(comm: "Comm", node: "Comm") -> Iterator[World]:
    """The torch process group of an MPI job, gone again when the block ends."""
    allowed = node.allgather(_allowed_cpus())  # ranks may be bound to CPUs of their own
    torch.set_num_threads(thread_count(os.environ, len(set().union(*allowed)), node.size))
    device = _device(node.rank)
    store, host = _store(comm, node.size == comm.size)
    # Left alone, gloo takes the interface of the host's own name, which may be the loopback.
    if interface := interface_towards(host):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", interface)
    os.environ |= {
        "RANK": str(comm.rank),
        "WORLD_SIZE": str(comm.size),
        "LOCAL_RANK": str(node.rank),
        "MASTER_ADDR": host,
        "MASTER_PORT": str(store.port),
    }
    distributed.init_process_group(
        # Checkpoints that are written in the background talk over gloo, beside the training.
        "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo",
        store=store,
        rank=comm.rank,
        world_size=comm.size,
        timeout=collective_time(os.environ),
        device_id=device if device.type == "cuda" else None,
    )
    hosts = tuple(comm.allgather(node_name()))
    yield World(comm.rank, comm.size, node.rank, hosts, device)
    # Group, then store, then garbage: else gloo's threads may abort the interpreter at its end.
    # Not after an error: there it could wait for ranks that never come.
    distributed.destroy_process_group()
    comm.Barrier()  # the store on rank 0 goes last
    del store
    gc.collect()


def _store(comm: "Comm", one_host: bool) -> tuple[TCPStore, str]:
    """The store through which ranks find each other; the system chooses its port."""
    where = None
    if comm.rank == 0:
        host = LOOPBACK if one_host else reachable_address(os.environ.get(VARIABLE))
        store = TCPStore(host, 0, is_master=True, wait_for_workers=False, timeout=RENDEZVOUS_TIME)
        where = (host, store.port)
    host, port = comm.bcast(where, root=0)
    if comm.rank:
        store = TCPStore(host, port, is_master=False, timeout=RENDEZVOUS_TIME)
    return store, host


def _allowed_cpus() -> set[int]:
    if sys.platform == "linux":
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _device(local_rank: int) -> torch.device:
    if not torch.cuda.is_available():
        return torch.device("cpu")
    # With one GPU visible per rank, every rank's is number 0.
    device = torch.device("cuda", local_rank % torch.cuda.device_count())
    torch.cuda.set_device(device)
    return device
