"""Names of documents."""

from collections.abc import Iterable

import numpy as np
import xxhash
from numpy.typing import NDArray


def uid_of(doc_id: str) -> int:
    """64-bit identity of a document: xxh3 of its `source:source_id`.

    >>> uid_of("pubmed:399296")
    17264476249756324570
    """
    return xxhash.xxh3_64_intdigest(doc_id.encode())


def uids_of(doc_ids: Iterable[str]) -> NDArray[np.uint64]:
    """`uid_of` for many documents."""
    return np.fromiter(map(uid_of, doc_ids), np.uint64)
