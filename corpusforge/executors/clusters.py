"""The Dask cluster of a run: started here, or joined."""

import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

import dask
from dask.utils import parse_bytes
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
    "distributed.worker.preload": ["corpusforge.executors.preload"],
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
    try:
        memory = parse_bytes(cluster.memory)
    except ValueError as error:
        raise ConfigError(
            f"cluster.memory is {cluster.memory!r}, expected a size such as 1400MB or 2GiB"
        ) from error
    port = 0 if _taken(cluster.dashboard) else cluster.dashboard
    with tempfile.TemporaryDirectory(prefix="corpusforge-") as scratch:
        # Ctrl-C reaches every process of a terminal, but it is the driver that stops the run, for
        # which it needs its workers. They inherit the mask of the thread that starts them. The
        # resource tracker, if it were started now, would clear the mask.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            local = LocalCluster(
                n_workers=cluster.workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=memory,
                dashboard_address=f"127.0.0.1:{port}",
                local_directory=scratch,
            )
        except RuntimeError as error:
            raise RunError(f"the workers did not start: {error}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        with local, Client(local) as client:
            yield client


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _join(cluster: ClusterConfig, base: Path) -> Client:
    where = str(cluster.address)
    if cluster.kind == "scheduler-file":
        where = str(base / str(cluster.scheduler_file))
        if not Path(where).exists():
            raise ConfigError(
                f"{where} does not exist: no scheduler has written it. Start one with "
                f"`dask scheduler --scheduler-file {where}`"
            )
    try:
        if cluster.kind == "scheduler-file":
            client = Client(scheduler_file=where, timeout=CONNECT)
        else:
            client = Client(where, timeout=CONNECT)
        client.wait_for_workers(1, timeout=CONNECT)
    # distributed checks neither an address nor a scheduler file before it uses them.
    except (OSError, TimeoutError, ValueError, KeyError, TypeError, AssertionError) as error:
        raise ConfigError(
            f"no Dask scheduler with a worker answers at {where} within {CONNECT:.0f} s; is it "
            f"running, and did its workers start?"
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
