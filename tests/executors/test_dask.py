"""What the Dask executor promises: real processes, real deaths."""

import os
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from distributed import Client

from corpusforge.errors import ConfigError, ContractError, RunError, Stopped
from corpusforge.executors.clusters import dashboard_note, open_client
from corpusforge.executors.dask import ATTEMPTS, WINDOW, DaskExecutor
from corpusforge.pipeline.config import ClusterConfig
from corpusforge.work import SerialExecutor, Tally, Task

pytestmark = pytest.mark.cluster
LOCAL = ClusterConfig(workers=2, dashboard=0, memory="1GB")


@pytest.fixture(scope="module")
def client():
    with open_client(LOCAL, Path()) as connected:
        yield connected


def tasks_in(folder, count):
    return [Task(f"t-{i:03d}", (), (folder / f"t-{i:03d}",)) for i in range(count)]


def write(task):
    [target] = task.targets
    target.write_text(task.name)
    return Tally(read=1, kept=1, counts={"letters": len(task.name)})


def note_attempt(task):
    """One more line in a file beside the target; the number of lines so far."""
    with task.targets[0].with_suffix(".attempts").open("a") as file:
        file.write(f"{os.getpid()}\n")
    return attempts(task)


def attempts(task):
    path = task.targets[0].with_suffix(".attempts")
    return len(path.read_text().splitlines()) if path.exists() else 0


def die(task, victim, deaths):
    """Kill the worker when the victim runs, the first `deaths` times."""
    if task.name == victim and note_attempt(task) <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(task)


def fail(task, victim, failures, error):
    if task.name == victim and note_attempt(task) <= failures:
        raise error
    return write(task)


def dawdle(task, seconds):
    time.sleep(seconds)
    return write(task)


def contents(tasks):
    return [t.targets[0].read_text() if t.targets[0].exists() else None for t in tasks]


def test_it_counts_and_writes_what_the_serial_executor_does(client, tmp_path):
    parallel, serial = tasks_in(tmp_path, 20), tasks_in(tmp_path / "..", 20)
    found = sum(DaskExecutor(client, Event()).run("s.p", write, parallel), Tally())
    assert found == sum(SerialExecutor().run("s.p", write, serial), Tally())
    assert contents(parallel) == [task.name for task in parallel]


def test_no_tasks_is_no_work(client):
    assert list(DaskExecutor(client, Event()).run("s.p", write, [])) == []


def test_a_task_whose_worker_dies_runs_again(client, tmp_path):
    tasks = tasks_in(tmp_path, 12)
    tallies = list(
        DaskExecutor(client, Event()).run("s.p", partial(die, victim="t-005", deaths=1), tasks)
    )
    assert len(tallies) == 12
    assert contents(tasks) == [task.name for task in tasks]
    assert attempts(tasks[5]) == 2


def test_a_task_that_always_kills_its_worker_fails_alone(client, tmp_path):
    tasks = tasks_in(tmp_path, 12)
    run = DaskExecutor(client, Event()).run("s.p", partial(die, victim="t-005", deaths=99), tasks)
    with pytest.raises(RunError, match=r"s\.p: 1 of 12 tasks failed \(t-005: every worker"):
        list(run)
    assert [text for text in contents(tasks) if text is None] == [None]
    assert contents(tasks)[5] is None


def test_an_exception_is_tried_again(client, tmp_path):
    tasks = tasks_in(tmp_path, 4)
    work = partial(fail, victim="t-001", failures=ATTEMPTS - 1, error=OSError("disk sneezed"))
    assert len(list(DaskExecutor(client, Event()).run("s.p", work, tasks))) == 4
    assert attempts(tasks[1]) == ATTEMPTS


def test_an_exception_that_stays_fails_its_task_and_no_other(client, tmp_path):
    tasks = tasks_in(tmp_path, 4)
    work = partial(fail, victim="t-001", failures=99, error=OSError("disk is gone"))
    with pytest.raises(RunError, match=r"1 of 4 tasks failed \(t-001: OSError: disk is gone"):
        list(DaskExecutor(client, Event()).run("s.p", work, tasks))
    assert attempts(tasks[1]) == ATTEMPTS
    assert contents(tasks).count(None) == 1


def test_a_broken_contract_is_not_tried_again(client, tmp_path):
    tasks = tasks_in(tmp_path, 2)
    work = partial(fail, victim="t-001", failures=99, error=ContractError("3 records vanished"))
    with pytest.raises(RunError, match="t-001: 3 records vanished"):
        list(DaskExecutor(client, Event()).run("s.p", work, tasks))
    assert attempts(tasks[1]) == 1


def test_no_more_than_a_window_of_tasks_is_with_the_scheduler(client, tmp_path):
    most = 0
    for _ in DaskExecutor(client, Event()).run("s.p", write, tasks_in(tmp_path, 3 * WINDOW)):
        known = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        most = max(most, known)
    assert 0 < most <= WINDOW + 2  # the ones just released may still be known


def test_when_asked_to_stop_it_finishes_what_is_running(client, tmp_path):
    stop, tasks = Event(), tasks_in(tmp_path, 3 * WINDOW)
    run = DaskExecutor(client, stop).run("s.p", partial(dawdle, seconds=0.01), tasks)
    finished = [next(run)]
    stop.set()
    with pytest.raises(Stopped, match=r"s\.p was stopped"):
        finished.extend(run)
    assert 1 <= len(finished) <= WINDOW
    assert sum(text is not None for text in contents(tasks)) == len(finished)


def test_when_nothing_ends_for_long_the_run_is_given_up(client, tmp_path):
    run = DaskExecutor(client, Event(), patience=1.0).run(
        "s.p", partial(dawdle, seconds=4), tasks_in(tmp_path, 1)
    )
    with pytest.raises(RunError, match=r"s\.p \(t-000 .*no task ended for 1 s"):
        list(run)


def test_tasks_are_grouped_by_stage_and_phase_on_the_dashboard(client, tmp_path):
    run = DaskExecutor(client, Event()).run(
        "clean.map", partial(dawdle, seconds=0.2), tasks_in(tmp_path, 3)
    )
    next(run)
    prefixes = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    list(run)
    assert "clean.map" in prefixes


def test_a_lost_scheduler_ends_the_run_at_once(tmp_path):
    file = tmp_path / "scheduler.json"
    start = partial(
        subprocess.Popen,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # to find this module
    )
    dask = [str(Path(sys.executable).with_name("dask"))]
    scheduler = start(
        [
            *dask,
            "scheduler",
            "--scheduler-file",
            str(file),
            "--port",
            "0",
            "--dashboard-address",
            ":0",
        ]
    )
    worker = start(
        [*dask, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--death-timeout", "5"]
    )
    try:
        deadline = time.monotonic() + 30
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        cluster = ClusterConfig(kind="scheduler-file", scheduler_file="scheduler.json")
        with open_client(cluster, tmp_path) as client:
            run = DaskExecutor(client, Event()).run(
                "s.p", partial(dawdle, seconds=0.3), tasks_in(tmp_path, 50)
            )
            next(run)
            scheduler.kill()
            started = time.monotonic()
            with pytest.raises(RunError, match=r"s\.p: the Dask scheduler is gone"):
                list(run)
            assert time.monotonic() - started < 20
    finally:
        scheduler.kill()
        worker.kill()
        scheduler.wait()
        worker.wait()


def test_a_taken_dashboard_port_is_said_and_another_is_used():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        cluster = ClusterConfig(workers=1, dashboard=port, memory="1GB")
        with open_client(cluster, Path()) as client:
            note = dashboard_note(client, cluster)
    assert f"port {port} is taken" in note
    assert f":{port}/" not in note


def test_a_free_dashboard_port_is_used():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cluster = ClusterConfig(workers=1, dashboard=port, memory="1GB")
    with open_client(cluster, Path()) as client:
        assert dashboard_note(client, cluster) == f"dashboard at http://127.0.0.1:{port}/status"


def test_an_address_that_nobody_listens_to_is_an_error(monkeypatch):
    monkeypatch.setattr("corpusforge.executors.clusters.CONNECT", 1.0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    cluster = ClusterConfig(kind="address", address=address)
    with (
        pytest.raises(ConfigError, match=f"no Dask scheduler with a worker answers at {address}"),
        open_client(cluster, Path()),
    ):
        pass


def test_a_scheduler_file_that_nobody_wrote_is_an_error(tmp_path):
    cluster = ClusterConfig(kind="scheduler-file", scheduler_file="none.json")
    with (
        pytest.raises(ConfigError, match=r"none\.json does not exist: no scheduler has written it"),
        open_client(cluster, tmp_path),
    ):
        pass


def test_workers_of_another_version_are_refused(client: Client, monkeypatch):
    monkeypatch.setattr("corpusforge.__version__", "9.9")
    cluster = ClusterConfig(kind="address", address=client.scheduler.address)
    with (
        pytest.raises(RunError, match=r"has corpusforge 0\.1\.0, this is 9\.9"),
        open_client(cluster, Path()),
    ):
        pass
