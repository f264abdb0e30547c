"""One run at a time in an output folder, whoever holds it and however it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from corpusforge.errors import ConfigError
from corpusforge.lock import exclusive

HOLD = """
import sys
from pathlib import Path
from corpusforge.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(folder):
    """Another process that holds the folder until its standard input is closed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_run_is_refused_and_told_who_runs(tmp_path):
    with holder(tmp_path) as first:
        message = rf"{re.escape(str(tmp_path))} is in use by process {first.pid} on .+: wait until"
        with pytest.raises(ConfigError, match=message), exclusive(tmp_path):
            pass


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_run_that_is_over_leaves_the_folder_free(tmp_path, how):
    with holder(tmp_path) as first:
        if how == "killed":
            first.send_signal(signal.SIGKILL)
        else:
            first.stdin.close()
        first.wait()
        with exclusive(tmp_path):
            said = (tmp_path / ".lock").read_text()
    assert said.startswith(f"process {os.getpid()} on ")


def test_a_run_that_fails_leaves_the_folder_free(tmp_path):
    with pytest.raises(OSError, match="no space"), exclusive(tmp_path):
        raise OSError("no space")
    with holder(tmp_path):
        pass


def test_the_lock_names_its_holder_alone_whatever_was_in_it_before(tmp_path):
    (tmp_path / ".lock").write_text("process 99999999999 on a machine with a long name\n" * 9)
    with exclusive(tmp_path):
        said = (tmp_path / ".lock").read_text()
    assert said == f"process {os.getpid()} on {socket.gethostname()}\n"


def test_the_output_folder_is_made(tmp_path):
    with exclusive(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b" / ".lock").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    message = rf"{tmp_path}/file/out cannot be written: Not a directory; change the output"
    with pytest.raises(ConfigError, match=message), exclusive(tmp_path / "file" / "out"):
        pass
