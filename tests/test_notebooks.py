"""Notebooks run from the first cell to the last on a finished corpus."""

import subprocess
from pathlib import Path

import nbformat
import pytest
from corpora import finish, write_corpus
from nbclient import NotebookClient

from corpusforge.pipeline.training import training_command

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
TRAIN = {
    "model": {"kind": "neox", "layers": 1, "hidden": 16, "heads": 1},
    **{"sequence_length": 32, "batch": 4, "steps": 20, "warmup": 2, "evaluate_every": 10},
}
pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    path = write_corpus(tmp_path_factory.mktemp("notebook"), stages={"train": TRAIN})
    command = training_command(finish(path), None)
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(path, pipeline, monkeypatch):
    monkeypatch.setenv("PIPELINE", str(pipeline))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    plots = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(plots) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_results(path):
    """Results hold text of papers, which has no place in the repository."""
    notebook = nbformat.read(path, as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")]
