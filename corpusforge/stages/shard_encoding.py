"""Documents to token ids, split and put in order: the encode tasks of shards.

No Python object is made per document but the integer that a digest of its text is; its ids are
copied once by a kernel, from the encoder's batch to the place that its order key decides.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError, ContractError
from corpusforge.formats.megatron import token_dtype
from corpusforge.formats.partition import partition_writer
from corpusforge.formats.vocabulary import id_count, open_tokenizer
from corpusforge.kernels.mixing import seeded_order
from corpusforge.kernels.runs import copy_runs
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.encoder import Encoder, encoder_of
from corpusforge.stages.shard_parts import CARRIED, encoded_schema, write_batch
from corpusforge.stages.shard_removal import unwanted, without
from corpusforge.stages.shard_split import SPLITS, SplitRule, sides_of
from corpusforge.stages.tokenizer_files import end_of_text
from corpusforge.tables.annotation import surviving_batches
from corpusforge.tables.digests import digests
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally, Task

FALLBACK = "documents encoded by tokenizers"  # a count, where the kernel does not cover something
ORDERED = pa.schema([("order", pa.uint64()), *CARRIED])


@dataclass(frozen=True, eq=False)
class Codec:
    """What turns texts into the tokens of a shard."""

    encoder: Encoder
    vocab_size: int  # one more than the largest id
    end: int  # the id that ends a document


@dataclass(frozen=True, eq=False)
class Encoded:
    """Some documents and their token ids, in the order of the input."""

    documents: pa.RecordBatch  # ORDERED
    ids: NDArray[Any]
    bounds: NDArray[np.int64]  # (D + 1,)


def encode(
    task: Task, split: SplitRule, seed: int, folder: Path, exclude: Path | None = None
) -> Tally:
    """Encode one partition's survivors into one Arrow file per split, sorted by order.

    A document is kept when a shard holds it, so it is assemble that counts it as kept.

    Args:
        task: Sources are the documents, the survivors and the tokenizer.
        split: Which documents are for what.
        seed: Of the order and the split.
        folder: Of the shards; what was taken out of it stays out.
        exclude: File of doc_ids that stay out as well.
    """
    *split_files, rejects = task.targets
    codec = open_codec(task.sources[2])
    gone = unwanted(exclude, folder)
    encoded: list[Encoded] = []
    tally = Tally()
    with partition_writer(rejects, REJECTS) as rejected:
        for batch, annotation in surviving_batches(*task.sources[:2]):
            documents = batch.append_column("cluster", annotation["cluster"])
            allowed = without(documents, gone).conserving(batch.num_rows)
            made, outcome = encode_batch(allowed.kept, codec, seed)
            encoded.append(made)
            for left_out in (allowed, outcome.conserving(allowed.kept.num_rows)):
                rejected.write(left_out.rejected)
                tally += Tally(rejected=left_out.tally().rejected)
            text_bytes = int(pc.sum(annotation["text_bytes"]).as_py() or 0)
            tally += Tally(read=batch.num_rows, bytes_read=text_bytes)
            if codec.encoder.fallback is not None:
                tally += Tally(counts={FALLBACK: allowed.kept.num_rows})
    rows = pa.Table.from_batches([e.documents for e in encoded], ORDERED)
    whole = pa.RecordBatch.from_arrays([c.combine_chunks() for c in rows.columns], schema=ORDERED)
    side = sides_of(whole, split, seed)
    for number, (name, target) in enumerate(zip(SPLITS, split_files, strict=True)):
        part = _in_order(whole, encoded, np.flatnonzero(side == number), codec)
        write_batch(target, part)
        counts = {f"{name}_documents": part.num_rows, f"{name}_tokens": len(part["ids"].values)}
        tally += Tally(counts=counts)
    return tally


def encode_batch(documents: pa.RecordBatch, codec: Codec, seed: int) -> tuple[Encoded, Outcome]:
    """Token ids of each document; one without a token is rejected.

    Args:
        documents: With their `cluster`.
        codec: Of the pipeline.
        seed: Of the order.
    """
    ids, bounds = codec.encoder.encode(documents["text"])
    if ids.size and int(ids.max()) >= codec.vocab_size:
        raise ContractError(
            f"{documents['doc_id'][0]} and the documents after it have the id {ids.max()}, but the "
            f"tokenizer's largest is {codec.vocab_size - 1}; this is a defect of the program, and "
            f"nothing was written"
        )
    data, text_bounds = codec.encoder.normalized(documents["text"])
    made = {
        "order": pa.array(seeded_order(documents["uid"].to_numpy(), seed)),
        "text_bytes": pa.array(np.diff(text_bounds)),
        "text_digest": pa.array(digests(data, text_bounds)),
    }
    rows = pa.RecordBatch.from_arrays(
        [made[f.name] if f.name in made else documents[f.name] for f in ORDERED], schema=ORDERED
    )
    lengths = np.diff(bounds)
    filled = lengths > 0
    kept = rows if filled.all() else rows.filter(pa.array(filled))
    empty = documents["doc_id"].filter(pa.array(~filled)).to_pylist()
    verdict = Rejection(Reason.NO_TOKENS, observed=0, limit=1)
    rejected = reject_rows("shards", empty, [verdict] * len(empty))
    # Documents without a token take no room, so the bounds of the others stay as they are.
    kept_bounds = np.concatenate([bounds[:1], bounds[1:][filled]])
    encoded = Encoded(kept, ids.astype(token_dtype(codec.vocab_size)), kept_bounds)
    return encoded, Outcome(kept, rejected)


def _in_order(
    rows: pa.RecordBatch,
    batches: list[Encoded],
    chosen: NDArray[np.int64],
    codec: Codec,
) -> pa.RecordBatch:
    """The chosen documents as one batch, by order and then uid, each with its end."""
    keys = (rows["uid"].to_numpy()[chosen], rows["order"].to_numpy()[chosen])
    chosen = chosen[np.lexsort(keys)]
    lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(b.bounds) for b in batches)])
    bounds = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(lengths[chosen] + 1, out=bounds[1:])
    ids = np.empty(int(bounds[-1]), token_dtype(codec.vocab_size))
    ids[bounds[1:] - 1] = codec.end
    place = np.full(rows.num_rows, -1, np.int64)
    place[chosen] = bounds[:-1]
    first = 0
    for batch in batches:
        places = place[first : first + len(batch.bounds) - 1]
        first += len(places)
        here = np.flatnonzero(places >= 0)
        starts = batch.bounds[here]
        copy_runs(batch.ids, starts, batch.bounds[here + 1] - starts, ids, places[here])
    schema = encoded_schema(codec.vocab_size)
    columns = [column.take(pa.array(chosen)) for column in rows.columns]
    listed = pa.LargeListArray.from_arrays(pa.array(bounds), pa.array(ids))
    return pa.RecordBatch.from_arrays([*columns, listed], schema=schema)


@cache
def open_codec(path: Path) -> Codec:
    """The tokenizer of the pipeline, opened once in each process.

    Raises:
        ConfigError: It cannot be read, or has no token that ends a document.
    """
    tokenizer = open_tokenizer(path)
    return Codec(encoder_of(tokenizer), id_count(tokenizer), end_of_document(tokenizer, path))


def end_of_document(tokenizer: Tokenizer, path: Path) -> int:
    """The id that ends a document.

    Raises:
        ConfigError: The tokenizer has none.
    """
    name = end_of_text(path)
    end = tokenizer.token_to_id(name)
    if end is None:
        raise ConfigError(
            f"{path} has no token {name}, which ends every document of a shard; add it to "
            f"the tokenizer as a special token"
        )
    return int(end)
