"""How the tests run: no deadlines, one kernel cache, and where real files are."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Before Numba is imported: a checkout on a read-only or shared disk must not slow the tests down.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "corpusforge-numba"))

# Kernels compile on first use.
settings.register_profile("corpusforge", deadline=None)
settings.load_profile("corpusforge")

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data():
    """The folder of real files, which are never part of this repository.

    The environment variable CORPUSFORGE_DATA names it.
    """
    folder = Path(os.environ.get("CORPUSFORGE_DATA", DEFAULT_DATA))
    if not (folder / "samples").is_dir():
        pytest.skip(f"no real files at {folder}; CORPUSFORGE_DATA names the folder that has them")
    return folder
