"""A batch split in two, and the law that no record vanishes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from corpusforge.errors import ContractError
from corpusforge.reasons import Rejection
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally


@dataclass(frozen=True)
class Outcome:
    """A batch split in two: records that go on and records that stop here."""

    kept: pa.RecordBatch
    rejected: pa.RecordBatch  # REJECTS schema

    def conserving(self, rows_in: int) -> "Outcome":
        """This outcome, after checking that no record vanished or multiplied."""
        if self.kept.num_rows + self.rejected.num_rows != rows_in:
            raise ContractError(
                f"{rows_in} records went in, {self.kept.num_rows} were kept and "
                f"{self.rejected.num_rows} rejected: every record must do exactly one"
            )
        return self

    def tally(self, bytes_read: int = 0) -> Tally:
        """The counts of this outcome."""
        reasons = Counter(self.rejected["reason"].to_pylist())
        return Tally(
            read=self.kept.num_rows + self.rejected.num_rows,
            kept=self.kept.num_rows,
            rejected=dict(sorted(reasons.items())),
            bytes_read=bytes_read,
        )


def reject_rows(
    stage: str, doc_ids: Sequence[str], verdicts: Sequence[Rejection | None]
) -> pa.RecordBatch:
    """One row per record with a verdict, in input order; records without one are not in it."""
    rejected = [(d, v) for d, v in zip(doc_ids, verdicts, strict=True) if v is not None]
    return pa.RecordBatch.from_pydict(
        {
            "doc_id": [doc_id for doc_id, _ in rejected],
            "stage": [stage] * len(rejected),
            "reason": [verdict.reason.value for _, verdict in rejected],
            "observed": [verdict.observed for _, verdict in rejected],
            "limit": [verdict.limit for _, verdict in rejected],
            "detail": [verdict.detail for _, verdict in rejected],
        },
        schema=REJECTS,
    )
