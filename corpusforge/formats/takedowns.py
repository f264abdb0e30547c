"""Records of what was taken out of a folder of shards: `takedowns/<revision before>.json`.

A record names the documents, where they stood, and how large the shards were, which is all that it
takes to say which samples of a training run had them. It holds no date, so that the same removal
from the same corpus is the same file.
"""

from pathlib import Path

import msgspec
from msgspec import Struct

from corpusforge.errors import FormatError

FOLDER = "takedowns"


class Removed(Struct, frozen=True):
    """One document of one shard."""

    doc_id: str
    split: str
    shard: str
    start: int  # first token, in the shard as it was
    tokens: int


class Takedown(Struct, frozen=True):
    """One removal."""

    before: str  # revision of the corpus that had the documents
    after: str
    documents: list[Removed]
    shard_tokens: dict[str, dict[str, int]]  # split -> shard -> tokens, before; shards in order


def read_takedowns(folder: Path) -> list[Takedown]:
    """All removals from a folder of shards, in order of their names.

    Raises:
        FormatError: A file there is not such a record.
    """
    found = []
    for path in sorted((folder / FOLDER).glob("*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Takedown))
        except msgspec.MsgspecError as error:
            raise FormatError(
                f"{path}: {error}; bring it back from a copy, or the shards would come back with "
                f"what was taken out of them"
            ) from error
    return found


def removed_ids(folder: Path) -> set[str]:
    """The documents that were taken out of a folder of shards."""
    return {removed.doc_id for record in read_takedowns(folder) for removed in record.documents}


def encoded(record: Takedown) -> bytes:
    """The content of a record's file."""
    return msgspec.json.format(msgspec.json.encode(record)) + b"\n"
