"""Read source files into papers: the parse tasks of extract."""

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import msgspec
import numpy as np
import pyarrow as pa
import xxhash
from numpy.typing import NDArray

from corpusforge.formats.atomic import write_atomic
from corpusforge.formats.partition import partition_writer
from corpusforge.formats.run import write_run
from corpusforge.reasons import Rejection
from corpusforge.sources.records import Found, Lost, Reader, Record, Withdrawn
from corpusforge.stages.extract_census import Runs, provider_runs
from corpusforge.tables.identity import uid_of
from corpusforge.tables.outcome import reject_rows
from corpusforge.tables.schemas import PAPERS, REJECTS
from corpusforge.work import Tally, Task

BATCH = 1024

# One record's claim to be its document. Claims travel keyed by uid.
CLAIM = np.dtype(
    [
        ("uid", "<u8"),
        ("position", "<u8"),  # partition << 32 | place among the partition's records
        ("row", "<u4"),  # of the parsed partition; of a deletion, DELETION
        ("version", "<u4"),
        ("check", "<u4"),  # a second hash of doc_id: two documents with one uid differ here
        ("padding", "<u4"),
    ]
)
DELETION = 0xFFFFFFFF


def parse(task: Task, readers: dict[str, Reader], licences: dict[str, str | None]) -> Tally:
    """Papers, losses, claims and providers of one group of files of a source.

    Args:
        task: Sources are the files; arguments are the partition's number and the source's name.
        readers: How the files of each source are read.
        licences: Of each source as a whole, for papers that state none.
    """
    papers, lost, claims_run, providers = task.targets
    part, name = int(task.arguments[0]), str(task.arguments[1])
    claims = [np.empty(0, CLAIM)]
    runs: Runs = []
    rejected: Counter[str] = Counter()
    place = row = deletions = 0
    with (
        partition_writer(papers, PAPERS) as paper_writer,
        partition_writer(lost, REJECTS) as lost_writer,
    ):
        records = (record for path in task.sources for record in readers[name](path))
        while batch := list(islice(records, BATCH)):
            found = [record for record in batch if isinstance(record, Found)]
            losses = [record for record in batch if isinstance(record, Lost)]
            paper_writer.write(paper_rows(name, licences[name], found))
            lost_writer.write(_lost_rows(name, losses))
            rejected.update(record.rejection.reason.value for record in losses)
            deletions += len(batch) - len(found) - len(losses)
            claims.append(_claims(name, batch, part << 32 | place, row))
            runs += provider_runs(found)
            place += len(batch)
            row += len(found)
    table = np.concatenate(claims)
    write_run(claims_run, table["uid"], table)
    write_atomic(providers, msgspec.json.encode(runs))
    read = row + sum(rejected.values())
    return Tally(
        read=read,
        rejected=dict(sorted(rejected.items())),
        bytes_read=sum(path.stat().st_size for path in task.sources),
        counts={"claims": len(table), "deletions": deletions, f"from {name}": read},
    )


def _claims(source: str, batch: list[Record], position: int, row: int) -> NDArray[np.void]:
    """The claims of some records, the first of which has this position; papers count rows up."""
    claims: list[tuple[int, ...]] = []
    for at, record in enumerate(batch, start=position):
        match record:
            case Found(paper=paper):
                claims.append(_claim(f"{source}:{paper.source_id}", paper.version, at, row))
                row += 1
            case Withdrawn(source_id=source_id, version=version):
                claims.append(_claim(f"{source}:{source_id}", version, at, DELETION))
            case Lost():
                pass
    return np.array(claims, CLAIM)


def _claim(doc_id: str, version: int, position: int, row: int) -> tuple[int, ...]:
    check = xxhash.xxh32_intdigest(doc_id.encode())
    return uid_of(doc_id), position, row, version, check, 0


def _lost_rows(source: str, losses: list[Lost]) -> pa.RecordBatch:
    verdicts: list[Rejection] = [loss.rejection for loss in losses]
    return reject_rows("extract", [f"{source}:{loss.key}" for loss in losses], verdicts)


def paper_rows(source: str, licence: str | None, found: Iterable[Found]) -> pa.RecordBatch:
    """Rows of the papers' table, in the order given.

    Args:
        source: Name of the source in the pipeline file.
        licence: Of the source as a whole, for papers that state none.
        found: What the source's reader yielded.
    """
    rows = [_row(source, licence, record) for record in found]
    columns = [[row[i] for row in rows] for i in range(len(PAPERS))]
    arrays = [pa.array(c, field.type) for c, field in zip(columns, PAPERS, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=PAPERS)


def _row(source: str, licence: str | None, record: Found) -> tuple[object, ...]:
    paper = record.paper
    doc_id = f"{source}:{paper.source_id}"
    stated = paper.licence_stated if paper.licence else ("source" if licence else None)
    return (
        uid_of(doc_id),
        doc_id,
        source,
        paper.doi,
        paper.arxiv,
        paper.pmid,
        paper.pmcid,
        paper.core,
        paper.mag,
        paper.openalex,
        paper.scopus,
        paper.title,
        paper.abstract,
        paper.body,
        [{"language": code, "abstract": text} for code, text in paper.translations],
        list(paper.authors),
        paper.year,
        paper.venue,
        paper.document_type,
        paper.version_kind,
        paper.declared_language,
        paper.licence or licence,
        stated,
        paper.retracted,
        paper.url,
        record.digest,
    )
