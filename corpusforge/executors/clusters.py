"""The Dask cluster of a run: started here, or joined."""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import Client, LocalCluster

import corpusforge
from corpusforge.errors import ConfigError, RunError
from corpusforge.pipeline.config import ClusterConfig

CONNECT = 60.0  # seconds to wait for a scheduler and a first worker

# One task, one core: a worker that started more threads would fight its neighbours for cores. The
# system's allocator gives memory back; Arrow's default keeps it, which looks like a leak to Dask.
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ARROW_IO_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_TRIM_THRESHOLD_": "65536",  # Dask's own default, which this table would replace
}

SETTINGS = {
    # Results are tallies of a few hundred bytes: nothing to spill, so no disk to fill.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": 0.85,
    "distributed.worker.memory.terminate": 0.95,
    # A task queued on a worker is a suspect when that worker dies: queue on the scheduler.
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.allowed-failures": 2,
    # A kernel may run for minutes without giving the worker's event loop a turn.
    "distributed.scheduler.worker-ttl": "30 minutes",
    "distributed.nanny.pre-spawn-environ": WORKER_ENVIRONMENT,
}


@contextmanager
def open_client(cluster: ClusterConfig, base: Path) -> Iterator[Client]:
    """A client whose workers are ready; a local cluster ends with the block.

    Args:
        cluster: From the pipeline file.
        base: Folder of the pipeline file.

    Raises:
        ConfigError: The scheduler cannot be reached.
        RunError: The workers run another version of corpusforge, or none.
    """
    with dask.config.set(SETTINGS):
        if cluster.kind == "local":
            with _local_client(cluster) as client:
                yield client
        else:
            with _join(cluster, base) as client:
                _check_versions(client)
                yield client


@contextmanager
def _local_client(cluster: ClusterConfig) -> Iterator[Client]:
    port = 0 if _taken(cluster.dashboard) else cluster.dashboard
    with (
        tempfile.TemporaryDirectory(prefix="corpusforge-") as scratch,
        LocalCluster(
            n_workers=cluster.workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=cluster.memory,
            dashboard_address=f":{port}",
            local_directory=scratch,
        ) as local,
        Client(local) as client,
    ):
        yield client


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return True
    return False


def _join(cluster: ClusterConfig, base: Path) -> Client:
    if cluster.kind == "address":
        where = {"address": cluster.address}
    else:
        path = base / str(cluster.scheduler_file)
        where = {"scheduler_file": str(path)}
        if not path.exists():
            raise ConfigError(
                f"{path} does not exist: no scheduler has written it. Start one with "
                f"`dask scheduler --scheduler-file {path}`"
            )
    try:
        client = Client(**where, timeout=CONNECT)
        client.wait_for_workers(1, timeout=CONNECT)
    except (OSError, TimeoutError) as error:
        raise ConfigError(
            f"no Dask scheduler with a worker answers at {next(iter(where.values()))} within "
            f"{CONNECT:.0f} s; is it running, and did its workers start?"
        ) from error
    return client


def _version() -> str:
    return corpusforge.__version__


def _check_versions(client: Client) -> None:
    """The workers must import the same corpusforge as the driver.

    Raises:
        RunError: One does not.
    """
    for worker, answer in client.run(_version, on_error="return").items():
        if answer != corpusforge.__version__:
            raise RunError(
                f"worker {worker} has corpusforge {answer}, this is {corpusforge.__version__}; "
                f"start the workers from the same environment"
            )


def dashboard_note(client: Client, cluster: ClusterConfig) -> str:
    """One line that says where to watch the run."""
    note = f"dashboard at {client.dashboard_link}"
    port = cluster.dashboard
    if cluster.kind == "local" and port and f":{port}/" not in client.dashboard_link:
        note += f" (port {port} is taken, perhaps by another run)"
    return note
