"""Where a mixture puts each document of train, each time that it is read.

Every pass has an order of its own, so a document's repeats are spread over the whole corpus. Which
documents are read once more than the others of their group is decided by a third order, else they
would all stand at one end. Of a group's documents in that order, as many are taken as do not pass
what is left of its budget.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct
from numpy.typing import NDArray

from corpusforge.errors import RunError
from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import partition_writer
from corpusforge.kernels.mixing import seeded_order
from corpusforge.reasons import Reason
from corpusforge.stages.shard_mixture import MixtureConfig, budgets
from corpusforge.stages.shard_parts import PLACE_COLUMNS, Part, open_part, open_parts, write_batch
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally, Task

UNKNOWN = "unknown"
BUCKETS = 1 << 16  # of the order in which documents are chosen, by the first bits of their keys


class Share(Struct, frozen=True):
    """What a mixture came to for one group."""

    held_documents: int
    held_tokens: int
    passes: int  # how often every document of the group is read
    below: str  # documents with a smaller key of choice are read once more; a decimal integer
    documents: int  # in all, repeats included
    tokens: int


class Resolved(Struct, frozen=True):
    """A mixture in numbers, as it stands in shards.json."""

    by: str
    groups: dict[str, Share]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents of one part and group: keys of choice, and tokens."""

    group: str
    keys: NDArray[np.uint64]
    tokens: NDArray[np.int64]


@dataclass(eq=False)
class _Held:
    """What a group has in train, by the first bits of the key of choice."""

    documents: NDArray[np.int64]
    tokens: NDArray[np.int64]


def resolve(task: Task, mixture: MixtureConfig, seed: int) -> Tally:
    """Decide how often each group is read, and which of its documents once more.

    Raises:
        ConfigError: As in `budgets`.
        RunError: As in `budgets`, or nothing is left to train on.
    """
    parts = open_parts(task.sources[0])
    held = _held(parts, mixture.by, seed)
    wanted = budgets(mixture, {name: int(group.tokens.sum()) for name, group in held.items()})
    shares = {}
    for name, group in sorted(held.items()):
        documents, tokens = int(group.documents.sum()), int(group.tokens.sum())
        passes, rest = divmod(wanted[name], tokens)
        below, more_documents, more_tokens = 0, 0, 0
        if rest:
            bucket = int(np.searchsorted(np.cumsum(group.tokens), rest, side="right"))
            near = [c for c in _candidates(parts, mixture.by, seed, bucket) if c.group == name]
            before = int(group.tokens[:bucket].sum())
            below, more_documents, more_tokens = _bound(near, rest - before)
            more_documents += int(group.documents[:bucket].sum())
            more_tokens += before
        shares[name] = Share(
            held_documents=documents,
            held_tokens=tokens,
            passes=passes,
            below=str(below),
            documents=passes * documents + more_documents,
            tokens=passes * tokens + more_tokens,
        )
    if held and not any(share.documents for share in shares.values()):
        raise RunError(
            "mixture: its parts leave train without a document, as every budget is less than one "
            "document has; give a part more tokens or epochs"
        )
    write_atomic(task.targets[0], msgspec.json.encode(Resolved(mixture.by, shares)))
    return Tally()


def _held(parts: Sequence[Part], by: str, seed: int) -> dict[str, _Held]:
    found: dict[str, _Held] = {}
    for candidates in _candidates(parts, by, seed, None):
        none = np.zeros(BUCKETS, np.int64)
        group = found.setdefault(candidates.group, _Held(none, none.copy()))
        buckets = _bucket(candidates.keys)
        group.documents += np.bincount(buckets, minlength=BUCKETS)
        np.add.at(group.tokens, buckets, candidates.tokens)
    return found


def _candidates(
    parts: Sequence[Part], by: str, seed: int, bucket: int | None
) -> Iterator[Candidates]:
    """The documents of all parts by group; of one bucket only, where it is given."""
    for part in parts:
        keys, tokens = choice_keys(part, seed), np.diff(part.bounds)
        codes, names = groups_of(part, by)
        for code, name in enumerate(names):
            here = codes == code
            if bucket is not None:
                here &= _bucket(keys) == bucket
            yield Candidates(name, keys[here], tokens[here])


def _bucket(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (keys >> np.uint64(48)).astype(np.int64)


def _bound(candidates: Sequence[Candidates], budget: int) -> tuple[int, int, int]:
    """Below which key documents are taken; how many, and their tokens: no more than the budget."""
    keys = np.concatenate([c.keys for c in candidates])
    tokens = np.concatenate([c.tokens for c in candidates])
    sorting = np.argsort(keys, kind="stable")
    ends = np.cumsum(tokens[sorting])
    below = keys[sorting[int(np.searchsorted(ends, budget, side="right"))]]
    taken = int(np.searchsorted(keys[sorting], below))
    return int(below), taken, int(ends[taken - 1]) if taken else 0


def choice_keys(part: Part, seed: int) -> NDArray[np.uint64]:
    """The order in which documents are chosen to be read once more."""
    return seeded_order(part.documents["uid"].to_numpy(), seed ^ 0x2545F491)


def groups_of(part: Part, by: str) -> tuple[NDArray[np.int64], list[str]]:
    """The group of every document as a number, and the names of the groups."""
    named = pc.fill_null(part.documents[by].cast(pa.string()), UNKNOWN).dictionary_encode()
    return named.indices.to_numpy(), named.dictionary.to_pylist()


def place(task: Task, by: str, seed: int) -> Tally:
    """Write where the documents of one part stand; those that stand nowhere are rejects."""
    part_file, resolved_file = task.sources
    places, rejects = task.targets
    resolved = msgspec.json.decode(resolved_file.read_bytes(), type=Resolved)
    part = open_part(part_file)
    times = _times(part, resolved, seed)
    uids = part.documents["uid"].to_numpy()
    rows = [np.flatnonzero(times > number) for number in range(int(times.max(initial=0)))]
    order = [seeded_order(uids[r], pass_seed(seed, number)) for number, r in enumerate(rows)]
    numbers = np.repeat(np.arange(len(rows), dtype=np.int16), [len(r) for r in rows])
    row = np.concatenate([np.empty(0, np.int64), *rows])
    key = np.concatenate([np.empty(0, np.uint64), *order])
    sorting = np.lexsort((numbers, uids[row], key))
    columns = [pa.array(column[sorting]) for column in (key, row, numbers)]
    write_batch(places, pa.RecordBatch.from_arrays(columns, schema=PLACE_COLUMNS))
    left_out = part.documents.filter(pa.array(times == 0))
    with partition_writer(rejects, REJECTS) as writer:
        writer.write(_rejects(left_out, by))
    count = left_out.num_rows
    return Tally(rejected={Reason.NOT_IN_MIXTURE.value: count} if count else {})


def _times(part: Part, resolved: Resolved, seed: int) -> NDArray[np.int64]:
    """How often each document of a part is read."""
    codes, names = groups_of(part, resolved.by)
    shares = [resolved.groups[name] for name in names]
    passes = np.array([share.passes for share in shares], np.int64)
    below = np.array([int(share.below) for share in shares], np.uint64)
    return passes[codes] + (choice_keys(part, seed) < below[codes])


def pass_seed(seed: int, number: int) -> int:
    """The seed of the order of one pass; of the first it is the corpus's own."""
    return (seed + number * 0x9E3779B9) % 2**32


def _rejects(documents: pa.RecordBatch, by: str) -> pa.RecordBatch:
    rows = documents.num_rows
    named = pc.fill_null(documents[by].cast(pa.string()), UNKNOWN)
    return pa.RecordBatch.from_arrays(
        [
            documents["doc_id"],
            pa.repeat("shards", rows),
            pa.repeat(Reason.NOT_IN_MIXTURE.value, rows),
            pa.nulls(rows, pa.float64()),
            pa.nulls(rows, pa.float64()),
            pc.binary_join_element_wise(by, named, " "),
        ],
        schema=REJECTS,
    )
