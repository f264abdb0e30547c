"""What may make two documents one: the sign tasks of dedup."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from corpusforge.formats.facts import facts_writer
from corpusforge.formats.partition import read_batches
from corpusforge.formats.run import write_run
from corpusforge.kernels.bibliography import bibliographic_key, identity_keys
from corpusforge.kernels.doi_families import doi_version
from corpusforge.kernels.evidence import Evidence
from corpusforge.kernels.lsh import band_keys
from corpusforge.kernels.minhash import HashFamily, text_signatures
from corpusforge.kernels.mixing import seeded_order
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.stages.dedup_places import MEMBER
from corpusforge.tables.schemas import DOCUMENTS
from corpusforge.tables.text import text_buffers
from corpusforge.work import Tally, Task

SCHEME = 2  # of keys and facts: raise it whenever those of an index could no longer be compared
# A document's claim to a key. Those of one key are compared in the order of `near`.
CLAIM = np.dtype([("member", MEMBER), ("near", "<u4"), ("evidence", "<u4")])

IDENTIFIERS = ("doi", "arxiv", "pmid", "pmcid", "core", "mag", "openalex", "scopus")
VERSIONS = {"published": 3, "accepted": 2, "preprint": 1}
VERSIONS_OF_YEAR = 1000  # `newer` is the year times this, plus the version that the DOI names
RECORD = 7  # no other keys are mixed with this number
BODY = b"\n\n## "  # before the first section of a full text stand its title and abstract
LICENCES: tuple[tuple[str, int], ...] = (
    ("CC0", 5),
    ("CC-PDM", 5),
    ("CC-BY-NC-ND", 1),
    ("CC-BY-NC", 2),
    ("CC-BY-ND", 2),
)
LICENCES += (("CC-BY-SA", 3), ("CC-BY", 4), ("MIT", 4), ("Apache", 4))
Claims = tuple[NDArray[np.uint64], NDArray[np.void]]


@dataclass(frozen=True)
class Signing:
    """How documents are signed."""

    shingle_words: int
    bands: int
    rows: int
    seed: int
    sources: tuple[str, ...]  # from best to worst; those not named are equally bad
    by_record: bool  # whether documents claim the key of their doc_id, to be found in an index


def sign(task: Task, how: Signing) -> Tally:
    """Claims of one partition's documents to the keys under which copies may meet.

    Args:
        task: Its targets are the facts and the run of claims, its argument the partition's number.
        how: Parameters.
    """
    facts, run = task.targets
    part = int(task.arguments[0])
    family = HashFamily.seeded(how.bands * how.rows, how.seed)
    letters, n = letter_table(), how.shingle_words
    keys, claims = [np.empty(0, np.uint64)], [np.empty(0, CLAIM)]
    seen = size = 0
    with facts_writer(facts) as writer:
        for batch in read_batches(task.sources[0], DOCUMENTS):
            data, bounds = text_buffers(batch["text"])
            signed, digests = text_signatures(data, bounds, letters, n, family)
            member = np.empty(batch.num_rows, MEMBER)
            member["uid"] = batch["uid"].to_numpy()
            member["address"] = np.arange(seen, seen + batch.num_rows) + (part << 32)
            heads, head_rows = _heads(batch, data, bounds)
            head_signed, _ = text_signatures(*text_buffers(heads), letters, n, family)
            for made in (
                _band_claims(member, band_keys(signed, how.bands)),
                _band_claims(member[head_rows], band_keys(head_signed, how.bands)),
                # Equal word sequences meet under a key of their own, so none of them is missed.
                _claims(digests, member, Evidence.EXACT),
                *_told_claims(batch, member),
                *_record_claims(member, how),
            ):
                keys.append(made[0])
                claims.append(made[1])
            structured = np.isin(np.arange(batch.num_rows), head_rows)
            titles, _, _ = shingle_sets(*text_buffers(batch["title"]), letters, n)
            attributes = _attributes(batch, np.diff(bounds), structured, how.sources)
            writer.write(batch, digests, np.diff(titles), attributes)
            seen += batch.num_rows
            size += int(bounds[-1] - bounds[0])
    all_keys = np.concatenate(keys)
    write_run(run, all_keys, np.concatenate(claims))
    return Tally(bytes_read=size, counts={"claims": len(all_keys)})


def _heads(
    batch: pa.RecordBatch, data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Title and abstract of the full texts that have sections, and which documents those are.

    A record with the abstract alone resembles them and not the whole.
    """
    heads: list[bytes] = []
    rows: list[int] = []
    full = np.flatnonzero(pc.equal(batch["content"], "full_text").to_numpy(zero_copy_only=False))
    for row in full:
        text = data[bounds[row] : bounds[row + 1]].tobytes()
        end = text.find(BODY)
        if end > 0:
            heads.append(text[:end])
            rows.append(int(row))
    return pa.array(heads, pa.large_binary()).cast(pa.large_string()), np.array(rows, np.int64)


def _band_claims(member: NDArray[np.void], keys: NDArray[np.uint64]) -> Claims:
    """Of two documents that share a band, those that share the next one too stand together."""
    documents, bands = keys.shape
    claims = np.empty(documents * bands, CLAIM)
    claims["member"] = np.repeat(member, bands)
    claims["near"] = (np.roll(keys, -1, axis=1) & np.uint64(0xFFFFFFFF)).ravel()
    claims["evidence"] = Evidence.NEAR
    return keys.ravel(), claims


def _claims(keys: NDArray[np.uint64], member: NDArray[np.void], evidence: int) -> Claims:
    claims = np.zeros(len(keys), CLAIM)
    claims["member"] = member
    claims["evidence"] = evidence
    return keys, claims


def _told_claims(batch: pa.RecordBatch, member: NDArray[np.void]) -> tuple[Claims, Claims]:
    """What documents say of themselves: identifiers, and who wrote what when."""
    identifiers = zip(*(batch[name].to_pylist() for name in IDENTIFIERS), strict=True)
    keys = [identity_keys(dict(zip(IDENTIFIERS, ids, strict=True))) for ids in identifiers]
    owner = np.repeat(np.arange(len(keys)), [len(own) for own in keys])
    named = np.array([key for own in keys for key in own], np.uint64)
    told = zip(batch["title"].to_pylist(), batch["authors"].to_pylist(), strict=True)
    works = [bibliographic_key(title, authors or []) for title, authors in told]
    known = np.array([i for i, key in enumerate(works) if key is not None], np.int64)
    written = np.array([key for key in works if key is not None], np.uint64)
    return (
        _claims(named, member[owner], Evidence.IDENTIFIER),
        _claims(written, member[known], Evidence.BIBLIOGRAPHIC),
    )


def _record_claims(member: NDArray[np.void], how: Signing) -> list[Claims]:
    """In one run a doc_id is there once, so this key is only for runs that have an index."""
    keys = record_keys(np.ascontiguousarray(member["uid"]))
    return [_claims(keys, member, Evidence.IDENTIFIER)] if how.by_record else []


def record_keys(uids: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The key under which a record meets the same one come again."""
    return seeded_order(uids, RECORD)


def _attributes(
    batch: pa.RecordBatch,
    sizes: NDArray[np.int64],
    structured: NDArray[np.bool_],
    sources: tuple[str, ...],
) -> NDArray[np.int32]:
    """The columns of `facts.ATTRIBUTES`; of each, more is better."""
    out = np.zeros((batch.num_rows, 7), np.int32)
    out[:, 0] = pc.equal(batch["content"], "full_text").to_numpy(zero_copy_only=False)
    out[:, 1] = [VERSIONS.get(kind, 0) for kind in batch["version_kind"].to_pylist()]
    out[:, 2] = structured
    out[:, 3] = np.minimum(sizes, 2**31 - 1)
    years = batch["year"].fill_null(0).to_numpy(zero_copy_only=False)
    out[:, 4] = years * np.int32(VERSIONS_OF_YEAR) + np.fromiter(
        map(version_of, batch["doi"].to_pylist()), np.int32, batch.num_rows
    )
    out[:, 5] = [openness(licence) for licence in batch["licence"].to_pylist()]
    ranks = {name: len(sources) - i for i, name in enumerate(sources)}
    out[:, 6] = [ranks.get(name, 0) for name in batch["source"].to_pylist()]
    return out


def version_of(doi: str | None) -> int:
    """The version that a DOI names, less than VERSIONS_OF_YEAR; the most if it names none.

    A DOI without version leads to the latest one, and an article stands above all its preprints.

    >>> version_of("10.12688/f1000research.2-288.v3"), version_of("10.1000/mice"), version_of(None)
    (3, 999, 999)
    """
    named = doi_version(doi) if doi else None
    return VERSIONS_OF_YEAR - 1 if named is None else min(named, VERSIONS_OF_YEAR - 2)


@lru_cache(4096)
def openness(licence: str | None) -> int:
    """How much a licence allows, 0 (nothing known) to 5 (everything).

    >>> [openness(name) for name in ("CC0-1.0", "CC-BY-4.0", "CC-BY-NC-ND-4.0", None)]
    [5, 4, 1, 0]
    """
    return next((rank for name, rank in LICENCES if (licence or "").startswith(name)), 0)
