"""What is asked of OpenAlex, and what next."""

import pytest
from emulators.openalex_records import FIELDS
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.cursor_pages import CursorPage
from corpusforge.parsers.openalex import DECODER
from corpusforge.sources.openalex_plan import (
    BATCH,
    MAX_FILTER,
    SELECT,
    OpenAlexConfig,
    Step,
    batches,
    estimate_openalex,
    ids_request,
    kind_of_id,
    next_step,
    normal_id,
    page_request,
)

KEYS = [f"W{number}" for number in range(110)]


def test_all_that_the_parser_reads_is_asked_for():
    read = {name for name, _, _ in DECODER._fields}
    assert set(SELECT.split(",")) == read
    assert read <= set(FIELDS)


@given(
    st.lists(
        st.one_of(
            st.integers(1, 10**10).map("W{}".format),
            st.integers(1, 10**9).map(str),
            st.text("ab,|:!/() é", min_size=1, max_size=60).map("10.1000/x{}y".format),
        ),
        unique=True,
    )
)
def test_batches_hold_each_known_id_once_and_none_that_a_filter_would_cut(names):
    ids = list(dict.fromkeys(map(normal_id, names)))
    plan = batches(ids)
    assert sorted(name for batch in plan for name in batch) == sorted(filter(kind_of_id, ids))
    for batch in plan:
        assert len(batch) <= BATCH
        assert len({kind_of_id(name) for name in batch}) == 1
        if len(batch) > 1:
            value = dict(ids_request(OpenAlexConfig(ids=["W1"]), batch).params)["filter"]
            assert len(value) <= MAX_FILTER + len("openalex:")
            assert value.partition(":")[2].split("|") == list(batch)
            assert not set(",!: ") & set(value.partition(":")[2])


def test_plans():
    config = OpenAlexConfig(filter="type:article")
    page = CursorPage(100, (b"{}",) * 10, "c2")
    assert next_step(Step("c1", 20), page, 100) == Step("c2", 30)
    assert next_step(Step("c1", 90), page, 100) is None
    early = CursorPage(100, (), None)
    assert next_step(Step("c1", 20), early, 100) == Step("c1", 20, again=1)
    assert next_step(Step("c1", 20, again=3), early, 100) is None
    assert dict(page_request(config, Step("c1", 20, again=1)).params)["per_page"] == "99"
    estimate = estimate_openalex(OpenAlexConfig(ids=["W1"]), KEYS, 5.0)
    assert (estimate.requests, estimate.seconds) == (3, 0.6)
    assert estimate_openalex(config, [], 5.0).requests is None


@pytest.mark.parametrize(
    "settings", [{}, {"filter": "a", "ids": ["W1"]}, {"search": "a", "ids_file": "x"}]
)
def test_settings_that_contradict_each_other_are_refused(settings):
    with pytest.raises(ValueError, match="needs either filter or search, or ids or ids_file"):
        OpenAlexConfig(**settings)
