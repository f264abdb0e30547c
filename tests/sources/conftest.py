"""Where the tests find real files, which are never part of this repository."""

import os
from pathlib import Path

import pytest

DEFAULT = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data():
    """The folder of real files, from the environment variable CORPUSFORGE_DATA."""
    folder = Path(os.environ.get("CORPUSFORGE_DATA", DEFAULT))
    if not (folder / "samples").is_dir():
        pytest.skip(f"no real files at {folder}; CORPUSFORGE_DATA names the folder that has them")
    return folder
