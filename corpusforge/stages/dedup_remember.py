"""What dedup writes down of the documents it kept: the tasks that make an index.

remember  per partition   facts and shingles of what was kept, and its claims
merge     per key range   the claims of all partitions, sorted
carry     per generation  links to what an earlier index has
seal      once            what is gone, and the manifest
"""

from functools import reduce
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.dedup_index import (
    ADDRESS,
    FORMAT,
    File,
    Generation,
    Manifest,
    Parameters,
    describe,
    link_file,
    open_index,
    write_addresses,
)
from corpusforge.formats.facts import facts_table, write_facts
from corpusforge.formats.partition import read_columns
from corpusforge.formats.run import gather, open_run, runs_in, write_run
from corpusforge.kernels.bibliography import identity_keys
from corpusforge.kernels.evidence import Evidence
from corpusforge.stages.dedup_places import ROW, index_addresses
from corpusforge.stages.dedup_sign import CLAIM, IDENTIFIERS
from corpusforge.stages.dedup_superseded import superseded, superseded_addresses
from corpusforge.stages.dedup_verify import write_sets
from corpusforge.tables.schemas import HANDED_ON
from corpusforge.work import Tally, Task


def remember(task: Task, generation: int, shingle_words: int) -> Tally:
    """Facts, shingles and claims of those documents of a partition that were kept.

    Args:
        task: Sources are documents, survivors, facts and claims of one partition; targets the
            first two of them for the index, the third for `merge`, and what was written. Its
            argument is the partition's number.
        generation: Number of this one in the index.
        shingle_words: Words of a shingle.
    """
    documents, survivors, all_facts, all_claims = task.sources
    facts, sets, claims, listed = task.targets
    told = read_columns(survivors, ["uid", *HANDED_ON])
    known = facts_table(all_facts)
    rows = np.flatnonzero(np.isin(known["uid"].to_numpy(), told["uid"].to_numpy()))
    kept = known.take(pa.array(rows))
    given_keys, given_rows = _given_keys(kept, told)
    for name in HANDED_ON:  # with what its copies had
        kept = kept.set_column(kept.schema.get_field_index(name), kept.field(name), told[name])
    write_facts(facts, kept)
    write_sets(documents, rows, np.arange(len(rows), dtype=np.uint32), sets, shingle_words)
    number = np.full(known.num_rows, -1)
    number[rows] = np.arange(len(rows))
    run = open_run(all_claims, CLAIM)
    own = number[(run.records["member"]["address"] & ROW).astype(np.int64)]
    stays = own >= 0
    records = np.array(run.records[stays])
    part = int(task.arguments[0])
    records["member"]["address"] = index_addresses(generation, part, own[stays])
    given = np.zeros(len(given_keys), CLAIM)
    given["member"]["uid"] = told["uid"].to_numpy()[given_rows]
    given["member"]["address"] = index_addresses(generation, part, given_rows)
    given["evidence"] = Evidence.IDENTIFIER
    records = np.concatenate([records, given])
    write_run(claims, np.concatenate([run.keys[stays], given_keys]), records)
    _list(listed, len(rows), [facts, sets])
    counts = {"documents_remembered": len(rows), "claims_remembered": len(records)}
    return Tally(counts=counts)


def _given_keys(own: pa.Table, told: pa.Table) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keys of identifiers that kept documents have from their copies alone, and of which rows."""
    given = np.zeros(own.num_rows, np.bool_)
    for name in IDENTIFIERS:
        given |= np.asarray(own[name].is_null()) & np.asarray(told[name].is_valid())
    rows, keys = [], []
    for row in np.flatnonzero(given).tolist():
        before, now = (
            identity_keys({name: table[name][row].as_py() for name in IDENTIFIERS})
            for table in (own, told)
        )
        new = sorted(set(now) - set(before))
        keys += new
        rows += [row] * len(new)
    return np.array(keys, np.uint64), np.array(rows, np.int64)


def merge(task: Task) -> Tally:
    """The claims of a range of keys, in the order in which they are looked up."""
    low, high = map(int, task.arguments)
    claims = gather(runs_in(task.sources[0]), CLAIM, low, high)
    order = np.lexsort((claims.records["member"]["uid"], claims.records["near"], claims.keys))
    write_run(task.targets[0], claims.keys[order], claims.records[order])
    _list(task.targets[1], 0, [task.targets[0]])
    return Tally()


def carry(task: Task) -> Tally:
    """Files of an earlier index under their names in this one."""
    for source, target in zip(task.sources, task.targets, strict=True):
        link_file(source, target)
    return Tally()


def seal(task: Task, parameters: Parameters, old: Path | None) -> Tally:
    """The manifest, and what counts no more: it was gone before, or is superseded now.

    Args:
        task: Sources are the folder of what was written, and with an earlier index the run of
            what was gone from it and the decisions.
        parameters: Of this run.
        old: Folder of the earlier index.
    """
    listed, *earlier = task.sources
    gone_run, manifest = task.targets
    gone: NDArray[np.uint64] = np.empty(0, ADDRESS)
    if earlier:
        before, decisions = earlier
        gone = np.union1d(
            open_run(before, ADDRESS).keys, superseded_addresses(superseded(decisions))
        )
    write_addresses(gone_run, gone)
    added = reduce(_both, map(_listed, sorted(listed.glob("[!.]*.json"))))
    before_it = () if old is None else open_index(old).manifest.generations
    made = Manifest(FORMAT, parameters, (*before_it, added), describe(gone_run))
    write_atomic(manifest, msgspec.json.format(msgspec.json.encode(made)) + b"\n")
    return Tally()


def _list(target: Path, documents: int, files: list[Path]) -> None:
    """What a task added to the index; their paths end in generation, kind and name."""
    described = {"/".join(path.parts[-3:]): describe(path) for path in files}
    write_atomic(target, msgspec.json.encode(Generation(documents, described)))


def _listed(path: Path) -> Generation:
    return msgspec.json.decode(path.read_bytes(), type=Generation)


def _both(one: Generation, other: Generation) -> Generation:
    files: dict[str, File] = dict(sorted((one.files | other.files).items()))
    return Generation(one.documents + other.documents, files)
