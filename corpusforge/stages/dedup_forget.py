"""Documents taken out of an index: they match nothing from then on, and are kept if they come anew.

What was written of them stays on disk, here and in indexes that link to it, and is never read
again; the index has another digest, so that pipelines that read it run again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.dedup_index import (
    ADDRESS,
    FORGOTTEN,
    Index,
    claim_runs,
    gone_in,
    write_addresses,
)
from corpusforge.formats.run import open_run
from corpusforge.stages.dedup_places import Places, locate
from corpusforge.stages.dedup_sign import CLAIM, record_keys
from corpusforge.tables.identity import uid_of


@dataclass(frozen=True)
class Forgetting:
    """What became of doc_ids, each in the order given."""

    forgotten: tuple[str, ...]
    before: tuple[str, ...]  # forgotten or superseded already
    unknown: tuple[str, ...]


def forget(index: Index, doc_ids: Sequence[str]) -> Forgetting:
    """Take documents out of an index; a second time changes nothing.

    Raises:
        FormatError: A file of the index is damaged.
    """
    wanted = list(dict.fromkeys(doc_ids))
    places = _places(index, wanted)
    gone = set(gone_in(index.folder).tolist())
    new = {doc_id: set(found) - gone for doc_id, found in places.items()}
    addresses = [address for found in new.values() for address in found]
    if addresses:
        target = index.folder / FORGOTTEN
        known = open_run(target, ADDRESS).keys if target.exists() else np.empty(0, ADDRESS)
        write_addresses(target, np.union1d(known, np.array(addresses, ADDRESS)))
    return Forgetting(
        forgotten=tuple(doc_id for doc_id in wanted if new.get(doc_id)),
        before=tuple(doc_id for doc_id in wanted if doc_id in new and not new[doc_id]),
        unknown=tuple(doc_id for doc_id in wanted if doc_id not in new),
    )


def _places(index: Index, doc_ids: Sequence[str]) -> dict[str, list[int]]:
    """Addresses of documents, of those that the index has or had."""
    uids = np.array([uid_of(doc_id) for doc_id in doc_ids], np.uint64)
    keys = record_keys(uids)
    open_part = cache(Places(index.folder, index.folder, index.folder).facts_of)
    found: dict[str, list[int]] = {}
    for path in claim_runs(index.folder):
        run = open_run(path, CLAIM)
        low = np.searchsorted(run.keys, keys)
        high = np.searchsorted(run.keys, keys, side="right")
        for i in np.flatnonzero(low < high).tolist():
            members: NDArray[np.void] = run.records["member"][low[i] : high[i]]
            for address in members["address"][members["uid"] == uids[i]]:
                part, row = locate(address)
                if open_part(part).of(row, "doc_id") == doc_ids[i]:
                    found.setdefault(doc_ids[i], []).append(int(address))
    return found
