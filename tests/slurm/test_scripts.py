"""What holds for all job scripts, whether or not their machine is at hand."""

import shutil
import subprocess
from pathlib import Path

import pytest

from corpusforge.errors import RunError
from corpusforge.executors.allocation import check_trained

PIPELINES = Path(__file__).parents[2] / "pipelines"
SCRIPTS = sorted(path for path in PIPELINES.glob("*/*") if path.is_file())
JOBS = [script for script in SCRIPTS if script.suffix in {".sbatch", ".bsub"}]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_valid_bash(script):
    subprocess.run(["bash", "-n", script], check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="there is no shellcheck")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_has_nothing_to_say(script):
    checked = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
    assert checked.stdout == ""


@pytest.mark.parametrize("script", JOBS, ids=lambda path: path.name)
def test_a_job_is_told_before_its_time_is_up_and_ends_in_the_common_script(script):
    text = script.read_text()
    assert "#SBATCH --signal=B:USR1@" in text or "#BSUB -wa USR1\n" in text
    assert text.splitlines()[-1].startswith("exec ")
    assert "/pipelines/slurm/allocation.sh" in text.splitlines()[-1]


def test_a_training_that_ended_without_saying_done_is_noticed(tmp_path):
    plan = Trained(tmp_path)
    with pytest.raises(RunError, match=r"DONE is missing although the launcher's status is 0"):
        check_trained(plan)
    (tmp_path / "DONE").touch()
    assert check_trained(plan) == f"the training is complete: {tmp_path / 'DONE'}"


class Trained:
    """As much of a plan as is asked for."""

    def __init__(self, folder):
        self.train_folder = folder
