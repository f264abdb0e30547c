"""Documents that no shard may hold: those of a file, and those that were taken out before."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.takedowns import removed_ids
from corpusforge.reasons import Reason, Rejection
from corpusforge.tables.outcome import Outcome, reject_rows


def unwanted(exclude: Path | None, folder: Path) -> pa.Array:
    """The doc_ids that must stay out of a folder of shards, sorted.

    Args:
        exclude: A file of doc_ids, if the pipeline names one.
        folder: Of the shards; what was taken out of it stays out when it is made again.
    """
    listed = doc_ids_of(exclude) if exclude is not None else []
    return pa.array(sorted({*listed, *removed_ids(folder)}), pa.string())


def doc_ids_of(path: Path) -> list[str]:
    """The doc_ids in a file, one a line; empty lines and lines that start with # do not count.

    Raises:
        ConfigError: The file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be read ({error}); expected a file of doc_ids, one a line"
        ) from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def file_evidence(path: Path) -> list[str]:
    """What of a file of doc_ids decides the shards."""
    return [sha256("\n".join(doc_ids_of(path)).encode()).hexdigest()]


def matches(doc_ids: pa.Array, wanted: pa.Array) -> NDArray[np.bool_]:
    """Which documents are among these: `pubmed:1` also stands for its translation `pubmed:1#fr`."""
    original = pc.replace_substring_regex(doc_ids, "#.*$", "")
    either = pc.or_(pc.is_in(doc_ids, wanted), pc.is_in(original, wanted))
    return either.to_numpy(zero_copy_only=False)


def without(documents: pa.RecordBatch, doc_ids: pa.Array) -> Outcome:
    """Documents but for the unwanted ones."""
    if not len(doc_ids):
        return Outcome(documents, reject_rows("shards", [], []))
    gone = pa.array(matches(documents["doc_id"], doc_ids))
    names = documents["doc_id"].filter(gone).to_pylist()
    verdict = Rejection(Reason.TAKEN_DOWN)
    return Outcome(
        documents.filter(pc.invert(gone)), reject_rows("shards", names, [verdict] * len(names))
    )
