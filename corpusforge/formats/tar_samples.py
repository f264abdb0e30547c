"""WebDataset: samples in a tar, each a few files of one key, written by the library `webdataset`.

    train-00000-000000012.json     what the sample is
    train-00000-000000012.npy      its token ids
    train-00000-000000012.txt      its text

The same samples give the same bytes: no clock and no user's name goes into a tar. A key holds no
dot, because what follows the first one is the name of the part.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.atomic import atomic_path

BLOCK = 512  # of a tar: a header is one, and content fills whole ones
END = 2 * BLOCK + 20 * BLOCK  # at most, after the last file
OWNER = "corpusforge"


@dataclass(frozen=True)
class Sample:
    """One sample; its parts are named by their suffix."""

    key: str
    parts: dict[str, bytes]

    @property
    def size(self) -> int:
        """Bytes that it takes in a tar."""
        return sum(BLOCK + -(-len(part) // BLOCK) * BLOCK for part in self.parts.values())


def npy(tokens: NDArray[Any]) -> bytes:
    """The content of a `.npy` file."""
    file = BytesIO()
    np.save(file, tokens, allow_pickle=False)
    return file.getvalue()


def require_webdataset() -> None:
    """Refuse early where the library is missing.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        import webdataset  # noqa: F401, PLC0415  (optional, and takes seconds: it brings torch)
    except ImportError as error:
        raise ConfigError(
            f"the webdataset format needs the library webdataset ({error}): "
            f"pip install 'corpusforge[export]'"
        ) from error


@contextmanager
def tar_writer(target: Path) -> Iterator[Callable[[Sample], None]]:
    """What puts samples into a tar; it appears only if the block ends without an exception."""
    from webdataset import TarWriter  # noqa: PLC0415

    with atomic_path(target) as partial, partial.open("wb") as file:
        made = TarWriter(file, user=OWNER, group=OWNER, mode=0o644, mtime=0, encoder=False)
        with closing(made) as tar:

            def write(sample: Sample) -> None:
                tar.write({"__key__": sample.key, **sample.parts})
                tar.tarstream.members.clear()  # it would keep a header of every file: 1 kB each

            yield write
