"""How the tests run: no deadlines, because kernels compile on first use, and one kernel cache."""

import os
import tempfile
from pathlib import Path

from hypothesis import settings

# Before Numba is imported: a checkout on a read-only or shared disk must not slow the tests down.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / "corpusforge-numba"))

settings.register_profile("corpusforge", deadline=None)
settings.load_profile("corpusforge")
