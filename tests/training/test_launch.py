"""How ranks find each other, and how a job ends when one fails."""

import os
import socket
import subprocess
import sys
import time

import pytest

from corpusforge.errors import ConfigError
from corpusforge.training import address
from corpusforge.training.address import VARIABLE, interface_towards, reachable_address
from corpusforge.training.launch import (
    LAUNCHER_SIZES,
    PATIENCE_VARIABLE,
    check_size,
    collective_time,
    thread_count,
)


@pytest.mark.parametrize("name", LAUNCHER_SIZES)
def test_ranks_that_each_believe_to_be_alone_are_refused(name):
    with pytest.raises(ConfigError, match=f"{name}=4, but MPI says that this process is alone"):
        check_size(1, {name: "4"})
    check_size(4, {name: "4"})
    check_size(1, {name: "1"})


def test_what_mpiexec_says_counts_more_than_what_srun_says_about_its_daemons():
    check_size(1, {"PMI_SIZE": "1", "SLURM_STEP_NUM_TASKS": "2"})
    check_size(1, {})


def test_cpus_are_shared_unless_the_environment_decides():
    assert thread_count({}, cpus=8, local_ranks=2) == 4
    assert thread_count({}, cpus=1, local_ranks=2) == 1
    assert thread_count({"OMP_NUM_THREADS": "3"}, cpus=8, local_ranks=2) == 3
    assert thread_count({"OMP_NUM_THREADS": "0"}, cpus=8, local_ranks=2) == 4


def test_the_address_is_that_of_the_interface_or_the_host_that_was_asked_for():
    assert reachable_address("lo") == "127.0.0.1"
    assert reachable_address("198.51.100.7") == "198.51.100.7"
    assert interface_towards("127.0.0.1") == "lo"


def test_a_wish_that_leads_nowhere_is_refused(monkeypatch):
    monkeypatch.setattr(address, "_resolve", lambda _name: None)
    with pytest.raises(ConfigError, match=f"{VARIABLE}=nowhere leads to no address"):
        reachable_address("nowhere")


def test_a_host_whose_name_is_a_loopback_uses_its_outgoing_address(monkeypatch):
    monkeypatch.setattr(socket, "gethostbyname", lambda _name: "127.0.1.1")
    monkeypatch.setattr(address, "_outgoing", lambda _towards: "10.0.0.5")
    assert reachable_address(None) == "10.0.0.5"
    monkeypatch.setattr(address, "_outgoing", lambda _towards: None)
    with pytest.raises(ConfigError, match=f"the name of host .* set {VARIABLE}"):
        reachable_address(None)


def test_a_host_whose_name_is_reachable_uses_it(monkeypatch):
    monkeypatch.setattr(socket, "gethostbyname", lambda _name: "10.0.0.9")
    assert reachable_address(None) == "10.0.0.9"


def script(*lines):
    return "\n".join(("from corpusforge.training.launch import launch", *lines))


def dies(how, waiting="time.sleep(60)"):
    """A job whose rank 1 does something while rank 0 waits."""
    return script(
        "import os, signal, sys, time",
        "def body(world):",
        "    if world.rank == 1:",
        f"        {how}",
        f"    {waiting}",
        "    return 0",
        "sys.exit(launch(body))",
    )


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("raise ZeroDivisionError('on purpose')", "ZeroDivisionError: on purpose"),
        ("sys.exit(0)", "SystemExit: 0"),
        ("os.kill(os.getpid(), signal.SIGKILL)", None),  # nobody is left to tell
    ],
    ids=["an error", "an exit", "SIGKILL"],
)
def test_a_failing_rank_ends_the_job_and_prints_its_traceback(run_job, how, told):
    began = time.monotonic()
    ended = run_job(2, "-c", dies(how))
    assert time.monotonic() - began < 15
    assert ended.status != 0
    if told is not None:
        assert "rank 1 of 2: failed\nTraceback" in ended.output
        assert told in ended.output


@pytest.mark.cluster
def test_a_rank_that_hangs_is_waited_for_as_long_as_was_said(run_job, monkeypatch):
    monkeypatch.setenv(PATIENCE_VARIABLE, "2")
    began = time.monotonic()
    ended = run_job(2, "-c", dies("time.sleep(60)", waiting="world.add(1)"))
    assert time.monotonic() - began < 17
    assert ended.status != 0
    assert "rank 0 of 2: failed\nTraceback" in ended.output
    assert "2000ms" in ended.output


@pytest.mark.parametrize("wish", ["soon", "0", "-1", "1.5"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(wish):
    with pytest.raises(ConfigError, match=f"{PATIENCE_VARIABLE}={wish} is no whole number of sec"):
        collective_time({PATIENCE_VARIABLE: wish})
    assert collective_time({}).total_seconds() == 900


@pytest.mark.cluster
def test_every_rank_adds_up_and_the_status_comes_through(run_job):
    body = script(
        "import sys",
        "def body(world):",
        "    line = f'sum {world.add(world.rank, 0.5)} {len(world.hosts)}'",
        "    sys.stdout.write(line + chr(10))",
        "    return 75",
        "sys.exit(launch(body))",
    )
    ended = run_job(3, "-c", body)
    assert ended.output.count("sum [3.0, 1.5] 3") == 3
    assert ended.status == 75


@pytest.mark.cluster
def test_ranks_on_several_hosts_meet_at_the_address_that_was_asked_for(run_job, monkeypatch):
    """MPICH is told to treat each rank as if it had a host of its own."""
    monkeypatch.setenv("MPIR_CVAR_NOLOCAL", "1")
    monkeypatch.setenv(VARIABLE, "lo")
    body = script(
        "import os, sys",
        "def body(world):",
        "    meeting_point = os.environ['MASTER_ADDR']",
        "    line = f'local rank {world.local_rank}, sum {world.add(1)}, {meeting_point}'",
        "    sys.stdout.write(line + chr(10))",
        "    return 0",
        "sys.exit(launch(body))",
    )
    ended = run_job(2, "-c", body)
    assert ended.output.count("local rank 0, sum [2.0], 127.0.0.1") == 2
    assert ended.status == 0


@pytest.mark.cluster
def test_a_launcher_of_another_protocol_is_noticed_and_no_traceback_is_shown():
    ended = subprocess.run(
        [sys.executable, "-c", script("raise SystemExit(launch(lambda world: 0))")],
        env=os.environ | {"SLURM_STEP_NUM_TASKS": "4"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "rank 0 of 1: SLURM_STEP_NUM_TASKS=4, but MPI says" in ended.stderr
    assert "Traceback" not in ended.stderr
