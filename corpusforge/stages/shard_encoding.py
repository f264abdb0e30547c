"""Documents to token ids, split and put in order: the encode tasks of shards."""

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.formats.atomic import atomic_path
from corpusforge.formats.partition import partition_writer
from corpusforge.kernels.mixing import seeded_order
from corpusforge.reasons import Reason, Rejection
from corpusforge.tables.annotation import surviving_batches
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import PROVENANCE, REJECTS
from corpusforge.work import Tally, Task

SPLITS = ("train", "valid", "test")

# What travels from encode to assemble: provenance without the place in a shard, and the tokens.
_CARRIED = [f for f in PROVENANCE if f.name not in ("start", "tokens")]
ENCODED = pa.schema([("order", pa.uint64()), *_CARRIED, ("ids", pa.large_list(pa.uint32()))])


def encode(task: Task, split: tuple[int, int, int], seed: int) -> Tally:
    """Encode one partition's survivors into one Arrow file per split, sorted by order."""
    documents, survivors, tokenizer_file = task.sources
    *split_files, rejects = task.targets
    tokenizer = load_tokenizer(tokenizer_file)
    batches: list[pa.RecordBatch] = []
    tally = Tally()
    with partition_writer(rejects, REJECTS) as rejected:
        for batch, annotation in surviving_batches(documents, survivors):
            outcome = encode_batch(batch, annotation, tokenizer, seed).conserving(batch.num_rows)
            batches.append(outcome.kept)
            rejected.write(outcome.rejected)
            tally += outcome.tally(bytes_read=sum(annotation["text_bytes"].to_pylist()))
    table = pa.Table.from_batches(batches, ENCODED)
    side = sides(table["cluster"].to_numpy(), split, seed)
    counts: dict[str, int] = {}
    for number, (name, target) in enumerate(zip(SPLITS, split_files, strict=True)):
        part = _in_order(table.filter(pa.array(side == number)))
        with atomic_path(target) as partial, pa.ipc.new_file(str(partial), ENCODED) as file:
            file.write_batch(part)
        counts[f"{name}_documents"] = part.num_rows
        # One end-of-document token each.
        counts[f"{name}_tokens"] = len(part["ids"].flatten()) + part.num_rows
    return tally + Tally(counts=counts)


def _in_order(table: pa.Table) -> pa.RecordBatch:
    """All rows as one batch, by order and then uid."""
    ordered = table.sort_by([("order", "ascending"), ("uid", "ascending")])
    return pa.RecordBatch.from_arrays([c.combine_chunks() for c in ordered.columns], schema=ENCODED)


def encode_batch(
    documents: pa.RecordBatch, annotation: pa.RecordBatch, tokenizer: Tokenizer, seed: int
) -> Outcome:
    """Token ids of each document; one without a token is rejected."""
    encodings = tokenizer.encode_batch_fast(documents["text"].to_pylist(), add_special_tokens=False)
    ids = [np.array(encoding.ids, np.uint32) for encoding in encodings]
    bounds = np.zeros(len(ids) + 1, np.int64)
    np.cumsum([len(i) for i in ids], out=bounds[1:])
    flat = np.concatenate([*ids, np.empty(0, np.uint32)])
    made = {
        "order": pa.array(seeded_order(documents["uid"].to_numpy(), seed)),
        "cluster": annotation["cluster"],
        "ids": pa.LargeListArray.from_arrays(pa.array(bounds), pa.array(flat)),
    }
    encoded = pa.RecordBatch.from_arrays(
        [made[f.name] if f.name in made else documents[f.name] for f in ENCODED],
        schema=ENCODED,
    )
    verdicts = [None if len(i) else Rejection(Reason.NO_TOKENS, observed=0, limit=1) for i in ids]
    return Outcome(
        kept=encoded.filter(pa.array([verdict is None for verdict in verdicts], pa.bool_())),
        rejected=reject_rows("shards", documents["doc_id"].to_pylist(), verdicts),
    )


def sides(
    clusters: NDArray[np.uint64], split: tuple[int, int, int], seed: int
) -> NDArray[np.int64]:
    """The split, 0 to 2, of each cluster; it depends on the cluster and the seed alone."""
    # Another seed than the order's: else each split would be one end of the order.
    place = seeded_order(clusters, seed ^ 0x5BD1E995) >> np.uint64(32)
    parts = place * np.uint64(sum(split)) >> np.uint64(32)
    return np.searchsorted(np.cumsum(split), parts.astype(np.int64), side="right")


@cache
def _tokenizer(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    # A paper that quotes "<|endoftext|>" must not end there.
    tokenizer.encode_special_tokens = True
    return tokenizer


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of the pipeline, which takes special tokens in a text for text."""
    return _tokenizer(path)
