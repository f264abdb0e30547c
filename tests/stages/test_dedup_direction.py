"""Which of two documents that are one may go for the other."""

import numpy as np
import pytest
from corpora import prose
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.evidence import COMPARISON, Evidence, Limits, Rule, judge_pair
from corpusforge.stages.dedup_direction import A_FOR_B, B_FOR_A, EITHER, directed
from stages.test_dedup_evidence import ABSTRACT, BODY, REWRITTEN, TITLE, deduplicated, document

LIMITS = Limits(min_contained=5)


@st.composite
def pairs(draw):
    one, other = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    shared = min(one, other) - draw(st.integers(0, 3) | st.integers(0, 40))
    compared = draw(st.integers(0, 31)), 0, draw(st.integers(0, 4)), one, other, max(shared, 0)
    return compared, draw(st.booleans()), draw(st.booleans()), draw(st.booleans())


def judged(rows):
    compared = np.array([row for row, *_ in rows], COMPARISON)
    full_texts = np.array([(a, b) for _, a, b, _ in rows], np.bool_).reshape(-1, 2)
    again = np.array([row[3] for row in rows], np.bool_)
    rules, removable = directed(compared, full_texts, again, LIMITS)
    return list(zip(rules.tolist(), removable.tolist(), strict=True))


@given(st.lists(pairs(), max_size=20))
def test_every_direction_is_one_that_the_rule_allows(rows):
    for (row, one_full, other_full, again), (rule, removable) in zip(
        rows, judged(rows), strict=True
    ):
        by_text = judge_pair(np.array(row, COMPARISON), LIMITS)
        *_, one, other, _ = row
        assert (rule > 0) == (by_text is not None or again)
        if rule == 0:
            continue
        if again or rule in (Rule.EXACT, Rule.NEAR):
            assert removable == EITHER
            continue
        for way, smaller, to_abstract in (
            (A_FOR_B, one <= other, one_full and not other_full),
            (B_FOR_A, other <= one, other_full and not one_full),
        ):
            allowed = not to_abstract and (smaller or rule != Rule.CONTAINED)
            assert bool(removable & way) == allowed
        if by_text is Rule.CONTAINED and rule != by_text:
            assert one_full == other_full
            assert row[0] & (Evidence.IDENTIFIER | Evidence.DOUBTED | Evidence.BIBLIOGRAPHIC)


@given(st.lists(pairs(), max_size=20))
def test_which_document_comes_first_does_not_matter(rows):
    turned = [((e, y, t, b, a, s), other, one, again)
              for (e, y, t, a, b, s), one, other, again in rows]  # fmt: skip
    swap = {A_FOR_B: B_FOR_A, B_FOR_A: A_FOR_B, EITHER: EITHER, 0: 0}
    assert judged(turned) == [(rule, swap[removable]) for rule, removable in judged(rows)]


@pytest.mark.parametrize("share", [1.0, 0.7])
@pytest.mark.parametrize("told", [{"arxiv": "1702.01819"}, {"title": TITLE, "authors": ["Ito"]}])
def test_a_longer_preprint_goes_for_its_published_version_however_much_they_share(
    tmp_path, share, told
):
    whole = f"{TITLE}\n\n{ABSTRACT}{BODY}"
    own = whole[: int(len(whole) * share)] + (prose("own", sentences=25) if share < 1 else "")
    longer = f"{whole}\n\n## Appendix\n\n" + prose("appendix", sentences=40)
    published = document("a:1", own, doi="10.1/x", version_kind="published", **told)
    preprint = document("b:2", longer, version_kind="preprint", **told)
    kept, removed = deduplicated(tmp_path, published, preprint)
    assert (set(kept), set(removed)) == ({"a:1"}, {"b:2"})


@pytest.mark.parametrize("abstract", [ABSTRACT, REWRITTEN])
@pytest.mark.parametrize("told", [{}, {"doi": "10.1/x"}])
@pytest.mark.parametrize("keep", [("published",), ("published", "full_text"), ("newer",)])
def test_a_full_text_never_goes_for_an_abstract_whatever_is_preferred(
    tmp_path, abstract, told, keep
):
    short = document("a:1", abstract, version_kind="published", year=2020, **told)
    whole = document("b:2", f"{TITLE}\n\n{ABSTRACT}{BODY}", version_kind="preprint", **told)
    kept, _ = deduplicated(tmp_path, short, whole, keep=keep)
    assert "b:2" in kept


def test_a_full_text_goes_for_a_copy_that_its_source_calls_an_abstract(tmp_path):
    text = f"{TITLE}\n\n{ABSTRACT}{BODY}"
    full, other = document("a:1", text), document("b:2", f"{text} more", content="abstract")
    _, removed = deduplicated(tmp_path, full, other, keep=("longer",))
    assert removed == {"a:1": ("b:2", "near_duplicate")}
