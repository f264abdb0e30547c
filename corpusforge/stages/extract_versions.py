"""Which record of a document counts: the resolve and select tasks of extract.

Records stand in the order of their partitions and files. A deletion removes the record of that
document and version that comes before it. Of what remains the higher version wins, then the later
record: PubMed's rule for its baseline and update files.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from corpusforge.errors import ContractError
from corpusforge.formats.atomic import atomic_path, write_atomic
from corpusforge.formats.partition import partition_writer, read_batches, read_columns
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.reasons import Reason, Rejection
from corpusforge.stages.extract_census import Runs, count
from corpusforge.stages.extract_papers import CLAIM, DELETION
from corpusforge.tables.outcome import reject_rows
from corpusforge.tables.schemas import PAPERS, REJECTS
from corpusforge.work import Tally, Task

LOSER = np.dtype(
    [
        ("part", "<u4"),
        ("row", "<u4"),
        ("deleted", "<u4"),
        ("version", "<u4"),
        ("winner", "<u4"),  # version of the record that counts; 0 if none does
        ("padding", "<u4"),
    ]
)


@dataclass(frozen=True)
class Judgement:
    """What becomes of the records of one document; records are named by their place in a list."""

    winner: int | None
    deleted: list[int]
    superseded: list[int]
    idle_deletions: int  # deletions that had no record to delete


def judge_versions(claims: Sequence[tuple[int, bool]]) -> Judgement:
    """Judge one document's (version, is a deletion) claims, given in the order of their files.

    >>> judge_versions([(1, False), (2, False), (1, True)])
    Judgement(winner=1, deleted=[0], superseded=[], idle_deletions=0)
    """
    alive: dict[int, int] = {}  # place -> version
    deleted: list[int] = []
    idle = 0
    for place, (version, deletion) in enumerate(claims):
        if not deletion:
            alive[place] = version
            continue
        doomed = [earlier for earlier, its_version in alive.items() if its_version == version]
        idle += not doomed
        deleted += doomed
        for earlier in doomed:
            del alive[earlier]
    winner = max(alive, key=lambda place: (alive[place], place), default=None)
    superseded = [place for place in alive if place != winner]
    return Judgement(winner, deleted, superseded, idle)


def resolve(task: Task) -> Tally:
    """The records of this range of uids that do not count, keyed by partition."""
    low, high = map(int, task.arguments)
    claims = gather(runs_in(task.sources[0]), CLAIM, low, high).records
    claims = claims[np.lexsort((claims["position"], claims["uid"]))]
    first = np.ones(len(claims), bool)
    first[1:] = claims["uid"][1:] != claims["uid"][:-1]
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], len(claims))
    # Nearly every document has one record, which counts.
    contested = (ends - starts > 1) | (claims["row"][starts] == DELETION)
    losers: list[tuple[int, int, int, int, int, int]] = []
    idle = 0
    for start, end in zip(starts[contested], ends[contested], strict=True):
        group = claims[start:end]
        _refuse_collision(group)
        versions = [(int(claim["version"]), bool(claim["row"] == DELETION)) for claim in group]
        judged = judge_versions(versions)
        idle += judged.idle_deletions
        winner = 0 if judged.winner is None else versions[judged.winner][0]
        for place in judged.deleted + judged.superseded:
            part, row = int(group[place]["position"]) >> 32, int(group[place]["row"])
            losers.append((part, row, place in judged.deleted, versions[place][0], winner, 0))
    table = np.array(sorted(losers), LOSER)
    write_run(task.targets[0], table["part"].astype(np.uint64), table)
    return Tally(counts={"deletions_without_record": idle} if idle else {})


def _refuse_collision(claims: NDArray[np.void]) -> None:
    if len(np.unique(claims["check"])) > 1:
        where = [(int(c["position"]) >> 32, int(c["row"])) for c in claims]
        raise ContractError(
            f"two documents share uid {claims['uid'][0]}: (partition, row) {where} of the parsed "
            f"papers; rename one of their sources in the pipeline file, which changes its uids"
        )


def select(task: Task) -> Tally:
    """One partition of papers without its losers, all its rejects, and the census of the papers."""
    parsed, lost, loser_runs, providers = task.sources
    table, rejects, census = task.targets
    part = int(task.arguments[0])
    losers = gather(runs_in(loser_runs), LOSER, part, part + 1).records
    verdicts = {int(loser["row"]): _verdict(loser) for loser in losers}
    years = read_columns(parsed, ["year"])["year"]
    stays = np.ones(len(years), bool)
    stays[list(verdicts)] = False
    runs = msgspec.json.decode(providers.read_bytes(), type=Runs)
    write_atomic(census, msgspec.json.encode(count(years, runs, stays)))
    tally = Tally()
    row = 0
    with partition_writer(rejects, REJECTS) as rejected:
        for batch in read_batches(lost, REJECTS):
            rejected.write(batch)
        if not verdicts:
            # Nothing to take out: the parsed file is the partition, and no text is copied.
            with atomic_path(table) as partial:
                _link_or_copy(parsed, partial)
            return Tally(kept=len(years))
        with partition_writer(table, PAPERS) as kept:
            for batch in read_batches(parsed, PAPERS):
                found = [verdicts.get(i) for i in range(row, row + batch.num_rows)]
                row += batch.num_rows
                kept.write(batch.filter(pa.array([verdict is None for verdict in found])))
                losing = reject_rows("extract", batch["doc_id"].to_pylist(), found)
                rejected.write(losing)
                tally += _taken(batch, losing)
    return tally


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(source, target)


def _taken(batch: pa.RecordBatch, losing: pa.RecordBatch) -> Tally:
    reasons = losing["reason"].to_pylist()
    return Tally(
        kept=batch.num_rows - len(reasons),
        rejected={reason: reasons.count(reason) for reason in sorted(set(reasons))},
    )


def _verdict(loser: np.void) -> Rejection:
    version, winner = int(loser["version"]), int(loser["winner"])
    if loser["deleted"]:
        return Rejection(Reason.DELETED, observed=version, detail="its source deleted it later")
    return Rejection(
        Reason.SUPERSEDED,
        observed=version,
        limit=winner,
        detail=f"version {version}; a later record, of version {winner}, is kept",
    )
