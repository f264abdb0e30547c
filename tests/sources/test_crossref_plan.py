"""What is asked of Crossref, and what next."""

from dataclasses import replace

import pytest

from corpusforge.parsers.cursor_pages import CursorPage
from corpusforge.sources.crossref_plan import (
    CrossrefConfig,
    End,
    Step,
    begin_again,
    estimate_crossref,
    is_doi,
    next_step,
    normal_id,
    page_request,
    work_request,
)

DOIS = [f"10.1000/{number}" for number in range(110)]


def test_plans():
    config = CrossrefConfig(query="a b", filter="type:book")
    page = CursorPage(100, (b"{}",) * 10, "c+/==")
    assert next_step(Step(), page) == Step("c+/==", page=1, taken=10)
    assert next_step(Step("c", 3, 30), CursorPage(100, (), "c")) is None
    assert next_step(Step("c", 3, 30), replace(page, cursor=None)) is None
    assert begin_again(Step("c", 3, 30), End.EMPTY, new=30) == Step(passes=1)
    again = Step("c", 3, 30, passes=2, fruitless=1)
    assert begin_again(again, End.EMPTY, new=1) == Step(passes=3)
    assert begin_again(again, End.LOST, new=0) == Step(passes=3, fruitless=2)
    assert begin_again(again, End.EMPTY, new=0) is None
    request = page_request(config, Step("c", 3, 30, passes=1))
    assert request.headers == (("X-Page", "1.3"),)
    assert dict(request.params) == {
        "rows": "1000", "filter": "type:book", "query": "a b", "cursor": "c"
    }  # fmt: skip
    assert work_request(config, "10.1000/a(b)#c").url.endswith("/works/10.1000%2Fa%28b%29%23c")
    assert (normal_id(" doi:10.1000/A "), normal_id("x ")) == ("10.1000/a", "x")
    assert (is_doi("10.1000/a"), is_doi("10.1000/A"), is_doi("x")) == (True, False, False)
    estimate = estimate_crossref(CrossrefConfig(ids=["10.1000/a"]), DOIS, 5.0)
    assert (estimate.requests, estimate.seconds) == (110, 22)
    assert estimate_crossref(config, [], 5.0).requests is None


@pytest.mark.parametrize(
    "settings", [{}, {"filter": "a", "ids": ["10.1000/a"]}, {"query": "a", "ids_file": "x"}]
)
def test_settings_that_contradict_each_other_are_refused(settings):
    with pytest.raises(ValueError, match="needs either filter or query, or ids or ids_file"):
        CrossrefConfig(**settings)
