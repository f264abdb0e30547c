"""What `pipelines/slurm/allocation.sh` promises, run without SLURM: as plain processes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dask.config
import msgspec
import pytest
from corpora import finish, write_corpus

from corpusforge.executors.allocation import settings_yaml
from corpusforge.executors.clusters import SETTINGS, WORKER_ENVIRONMENT
from corpusforge.pipeline.plan import open_plan

SCRIPT = Path(__file__).parents[2] / "pipelines" / "slurm" / "allocation.sh"
TRAIN = {
    "model": {"kind": "neox", "layers": 1, "hidden": 32, "heads": 2},
    "sequence_length": 32,
    "batch": 4,
    "steps": 150,
    "warmup": 2,
    "evaluate_every": 150,
    "evaluation_windows": 8,
    "checkpoint_every": 150,
}
TOLD = "stopped on request; the same command continues"


@dataclass
class Allocation:
    """The script at work on the pipeline of a folder."""

    process: subprocess.Popen
    lines: list[str]

    @property
    def output(self):
        return "".join(self.lines)

    def until(self, text):
        """Read on until a line has this text."""
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return
        pytest.fail(f"the script never said {text!r}:\n{self.output}")

    def end(self):
        """Read to the end; the exit status."""
        self.lines.extend(self.process.stdout)
        return self.process.wait(timeout=60)


@contextmanager
def allocation(folder):
    """Start the script; when the block ends, nothing that it started may be alive."""
    runs = folder / "runs"
    environment = os.environ | {"VENV": sys.prefix, "CORPUSFORGE_RUN_FOLDER": str(runs)}
    with subprocess.Popen(
        [SCRIPT, folder / "pipeline.yaml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    ) as process:
        try:
            yield Allocation(process, [])
        finally:
            process.kill()
            deadline = time.monotonic() + 5  # what was told to end may still be at it
            while (left := started_by(runs)) and time.monotonic() < deadline:
                time.sleep(0.1)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
    assert left == {}


def started_by(runs):
    """Processes that have inherited this run folder: process id to environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
        except (OSError, ValueError):
            continue
        environment = dict(word.split("=", 1) for word in words if "=" in word)
        if entry.name.isdigit() and environment.get("CORPUSFORGE_RUN_FOLDER") == str(runs):
            found[int(entry.name)] = environment
    return found


def results(folder):
    """All bytes that must not depend on who ran the pipeline."""
    plan = open_plan(folder / "pipeline.yaml")
    files = [
        path
        for step in plan.steps
        for path in sorted(step.folder.rglob("*"))
        if path.is_file() and "receipts" not in path.parts and path.name != "manifest.json"
    ]
    files += [plan.train_folder / "model" / "model.safetensors", plan.train_folder / "DONE"]
    return {path.relative_to(plan.output): path.read_bytes() for path in files if path.exists()}


def pipeline_folder(parent, **rest):
    """A folder with a small corpus and its pipeline file."""
    folder = parent / "corpus"
    path = write_corpus(folder, stages={"train": TRAIN, "shards": {"split": [3, 1, 0]}})
    recipe = msgspec.yaml.decode(path.read_bytes())
    path.write_bytes(msgspec.yaml.encode(recipe | rest))
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A folder after one run of the script, and what was seen meanwhile."""
    folder = pipeline_folder(tmp_path_factory.mktemp("undisturbed"))
    with allocation(folder) as running:
        running.until("2 of 2 workers on 1 node")
        environments = started_by(folder / "runs").values()
        status = running.end()
    assert status == 0, running.output
    return folder, running.output, list(environments)


def test_the_settings_file_tells_dask_what_a_local_cluster_is_told(tmp_path):
    (tmp_path / "dask.yaml").write_bytes(settings_yaml())
    read = dask.config.collect(paths=[str(tmp_path)], env={})
    assert {name: dask.config.get(name, config=read) for name in SETTINGS} == SETTINGS


@pytest.mark.cluster
def test_the_workers_get_the_environment_of_local_workers(undisturbed):
    _, _, environments = undisturbed
    wanted = WORKER_ENVIRONMENT.items()
    assert sum(wanted <= environment.items() for environment in environments) >= 2
    [settings] = {environment.get("DASK_CONFIG") for environment in environments} - {None}
    assert Path(settings).read_bytes() == settings_yaml()


@pytest.mark.cluster
def test_every_part_is_told_with_its_wall_time(undisturbed):
    _, output, _ = undisturbed
    assert "scheduler and workers ended with status 0 0 0" in output
    assert "2 ranks on 1 host" in output
    for part in ("Dask cluster", "data stages", "training"):
        assert f"== {part}\n" in output
        assert f"{part} " in output.splitlines()[-1]


@pytest.mark.cluster
def test_the_results_are_those_of_a_serial_run(undisturbed, tmp_path):
    folder, _, _ = undisturbed
    serial = tmp_path / "serial"
    shutil.copytree(folder / "sources", serial / "sources")
    shutil.copy(folder / "pipeline.yaml", serial)
    finish(serial / "pipeline.yaml")
    expected = results(serial)
    assert len(expected) > 20
    assert expected.items() <= results(folder).items()


@pytest.mark.cluster
def test_a_script_that_is_told_to_stop_says_75_and_the_same_command_continues(
    undisturbed, tmp_path
):
    folder = pipeline_folder(tmp_path)
    with allocation(folder) as running:
        running.until("dashboard at")
        running.process.send_signal(signal.SIGUSR1)
        assert running.end() == 75, running.output
    assert TOLD in running.output
    assert "== training" not in running.output
    with allocation(folder) as running:
        running.until("steps  ")
        running.process.send_signal(signal.SIGUSR1)
        assert running.end() == 75, running.output
    assert TOLD in running.output
    assert "stopped on request after step" in running.output
    with allocation(folder) as running:
        assert running.end() == 0, running.output
    assert "the data stages are complete" in running.output
    assert "== Dask cluster" not in running.output
    assert results(folder) == results(undisturbed[0])


@pytest.mark.cluster
def test_a_run_that_fails_fails_the_script_and_leaves_no_process(tmp_path):
    folder = pipeline_folder(tmp_path, reject_budget={"clean": 0})
    with allocation(folder) as running:
        assert running.end() == 1
    assert "its budget is 0%" in running.output.replace("\n", " ")
    assert "scheduler and workers ended with status 0 0 0" in running.output
    assert "== training" not in running.output


@pytest.mark.cluster
def test_a_wrong_pipeline_file_starts_nothing(tmp_path):
    folder = pipeline_folder(tmp_path, colour="blue")
    with allocation(folder) as running:
        assert running.end() == 1
    assert "unknown field `colour`" in running.output
    assert not (folder / "runs").exists()
