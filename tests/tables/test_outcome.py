"""No record vanishes, and each that is left out says why."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ContractError
from corpusforge.reasons import Reason, Rejection
from corpusforge.tables.outcome import Outcome, reject_rows
from corpusforge.tables.schemas import REJECTS
from corpusforge.work import Tally

verdicts = st.none() | st.builds(
    Rejection,
    st.sampled_from(Reason),
    observed=st.none() | st.floats(allow_nan=False),
    limit=st.none() | st.floats(allow_nan=False),
    detail=st.none() | st.text(st.characters(exclude_categories=["Cs"])),
)


def outcome_of(kept, reasons):
    rejected = reject_rows("demo", [f"d:{i}" for i in range(len(reasons))], reasons)
    return Outcome(pa.record_batch({"n": pa.array(range(kept), pa.int64())}), rejected)


@given(st.lists(verdicts))
def test_every_verdict_is_a_row_and_every_other_record_none(given_verdicts):
    doc_ids = [f"demo:{i}" for i in range(len(given_verdicts))]
    found = reject_rows("clean", doc_ids, given_verdicts)
    assert found.schema == REJECTS
    assert found.to_pylist() == [
        {
            "doc_id": doc_id,
            "stage": "clean",
            "reason": str(verdict.reason),
            "observed": verdict.observed,
            "limit": verdict.limit,
            "detail": verdict.detail,
        }
        for doc_id, verdict in zip(doc_ids, given_verdicts, strict=True)
        if verdict
    ]


def test_a_verdict_too_few_is_refused():
    with pytest.raises(ValueError, match="shorter"):
        reject_rows("clean", ["a", "b"], [None])


@given(st.integers(0, 5), st.lists(verdicts.filter(bool), max_size=5), st.integers(0, 12))
def test_an_outcome_holds_only_for_as_many_records_as_went_in(kept, reasons, rows_in):
    outcome = outcome_of(kept, reasons)
    if rows_in == kept + len(reasons):
        assert outcome.conserving(rows_in) is outcome
        return
    message = f"{rows_in} records went in, {kept} were kept and {len(reasons)} rejected: every"
    with pytest.raises(ContractError, match=message):
        outcome.conserving(rows_in)


@given(st.integers(0, 5), st.lists(verdicts.filter(bool), max_size=9))
def test_the_tally_of_an_outcome_balances_and_counts_each_reason(kept, reasons):
    tally = outcome_of(kept, reasons).tally(bytes_read=7)
    assert tally.balances
    assert (tally.kept, tally.bytes_read) == (kept, 7)
    listed = [verdict.reason.value for verdict in reasons]
    assert tally.rejected == {reason: listed.count(reason) for reason in listed}
    assert list(tally.rejected) == sorted(tally.rejected)


def test_tallies_add_up_to_the_tally_of_everything():
    too_short, deleted = Rejection(Reason.TOO_SHORT), Rejection(Reason.DELETED)
    parts = [outcome_of(2, [too_short]), outcome_of(0, [deleted, too_short]), outcome_of(1, [])]
    together = sum((part.tally() for part in parts), Tally())
    assert together == outcome_of(3, [too_short, deleted, too_short]).tally()


def test_reasons_on_disk_keep_their_names():
    """Golden values. More may be added; one that is gone would orphan the rejects of old runs."""
    known = """unreadable truncated no_identifier superseded deleted no_text too_short language
    exact_duplicate near_duplicate no_tokens"""
    assert set(known.split()) <= {reason.value for reason in Reason}
