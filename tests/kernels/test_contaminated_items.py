"""Which items documents hold, and where."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_runs import runs_of, words_of

from corpusforge.kernels.contaminated_items import find
from corpusforge.kernels.contamination import scan
from corpusforge.kernels.ngram_index import build_index
from corpusforge.tables.text import text_buffers

ALPHABET = "aAbB 1-.\n中é"
N = 2
texts = st.lists(st.text(ALPHABET, max_size=40), max_size=5)
items = st.lists(st.tuples(st.integers(0, 2), st.text(ALPHABET, max_size=20)), max_size=6)
shares = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.55, 0.7, 1.0])


def found_in(documents, benchmark_items, share=0.0, common=(), n=N):
    """What `find` says; grams in `common` are tuples of words."""
    column = pa.array([text for _, text in benchmark_items], pa.large_string())
    benchmark = np.array([number for number, _ in benchmark_items], np.int64)
    index = build_index(*text_buffers(column), np.arange(len(benchmark)), n)
    hits = scan(*text_buffers(pa.array(documents, pa.large_string())), index)
    left_out = np.zeros(len(index), bool)
    for hit in hits:
        words = words_of(documents[hit["document"]])[hit["word"] :]
        run = words[: index.grams.sizes[hit["gram"]]]
        left_out[hit["gram"]] |= tuple(word.text for word in run) in common
    return find(hits, index.without(left_out), benchmark, share)


def textbook(documents, benchmark_items, share, n):
    """{(document, benchmark): {item: (covered, grams)}}, and {(document, benchmark): spans}."""
    held, places = {}, {}
    for d, document in enumerate(documents):
        words = words_of(document)
        for i, (benchmark, text) in enumerate(benchmark_items):
            grams = set(runs_of(text, n))
            size = min(n, len(words_of(text)))
            at = [
                first
                for first in range(len(words) - size + 1)
                if tuple(word.text for word in words[first : first + size]) in grams
            ]
            covered = {tuple(word.text for word in words[f : f + size]) for f in at}
            if at and len(covered) / len(grams) >= share:
                held.setdefault((d, benchmark), {})[i] = (len(covered), len(grams))
                taken = places.setdefault((d, benchmark), set())
                taken.update(f + k for f in at for k in range(size))
    spans = []
    for (d, benchmark), taken in sorted(places.items()):
        words = words_of(documents[d])
        starts = [w for w in sorted(taken) if w - 1 not in taken]
        ends = [w for w in sorted(taken) if w + 1 not in taken]
        spans += [
            (d, benchmark, words[a].start, words[b].end) for a, b in zip(starts, ends, strict=True)
        ]
    return held, spans


@given(texts, items, shares, st.integers(1, 4))
def test_items_and_spans_are_those_of_the_textbook(documents, benchmark_items, share, n):
    found = found_in(documents, benchmark_items, share, n=n)
    held, spans = textbook(documents, benchmark_items, share, n)
    assert [tuple(best)[:2] for best in found.best.tolist()] == sorted(held)
    for document, benchmark, item, covered, grams in found.best.tolist():
        here = held[document, benchmark]
        most = max(Fraction(*counts) for counts in here.values())
        assert item == min(i for i, counts in here.items() if Fraction(*counts) == most)
        assert (covered, grams) == here[item]
    assert found.spans.tolist() == spans
    assert found.items.tolist() == sorted({item for here in held.values() for item in here})


@given(texts, items)
def test_spans_of_a_benchmark_in_a_document_have_a_word_between_them(documents, benchmark_items):
    spans = found_in(documents, benchmark_items).spans
    for a, b in pairwise(spans):
        if a["document"] == b["document"] and a["benchmark"] == b["benchmark"]:
            between = documents[a["document"]].encode()[a["end"] : b["start"]]
            assert words_of(between.decode())


QUESTION = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("share", "is_found"), [(0.0, True), (0.5, True), (0.625, True), (0.63, False), (1.0, False)]
)
def test_a_share_is_of_the_different_grams_of_an_item(share, is_found):
    """Eight grams of three words, of which the document has five."""
    document = "zero " + " ".join(QUESTION.split()[:7])
    found = found_in([document], [(0, QUESTION)], share, n=3)
    assert len(found.best) == len(found.items) == len(found.spans) == is_found


def test_a_gram_that_is_left_out_counts_neither_as_found_nor_as_missing():
    document = "one two three, and: five six seven eight nine ten"
    common = {("one", "two", "three"), ("two", "three", "four"), ("three", "four", "five")}
    [best] = found_in([document], [(0, QUESTION)], 0.0, common, n=3).best
    assert (best["covered"], best["grams"]) == (4, 7)
    [span] = found_in([document], [(0, QUESTION)], 0.0, common, n=3).spans
    assert document[span["start"] : span["end"]] == "five six seven eight nine ten"


def test_an_item_of_common_grams_only_is_not_found():
    found = found_in(["one two three"], [(0, "one two three")], 0.0, {("one", "two", "three")}, 3)
    assert len(found.best) == len(found.spans) == len(found.items) == 0


def test_items_that_overlap_make_one_span_of_their_benchmark_and_two_of_two():
    document = "so one two three four five six, we said"
    a, b = "one two three four", "three four five six"
    assert found_in([document], [(0, a), (0, b)], n=3).spans.tolist() == [(0, 0, 3, 30)]
    assert found_in([document], [(0, a), (1, b)], n=3).spans.tolist() == [
        (0, 0, 3, 21),
        (0, 1, 11, 30),
    ]


def test_grams_that_touch_make_one_span():
    document = "one two three: four five six"
    [span] = found_in([document], [(0, "one two three"), (0, "four five six")], n=3).spans
    assert (span["start"], span["end"]) == (0, len(document))


def test_a_short_gram_inside_a_long_one_does_not_end_its_span():
    document = "one two three four five six seven"
    items = [(0, "one two three four five"), (0, "two"), (0, "four five six seven")]
    assert found_in([document], items, n=5).spans.tolist() == [(0, 0, 0, len(document))]


def test_what_documents_of_one_batch_hold_does_not_add_up():
    """Each has half of the item."""
    halves = ["one two three four five", "six seven eight nine ten"]
    assert len(found_in(halves, [(0, QUESTION)], 0.5, n=3).best) == 0


def test_nothing_is_found_without_documents_or_benchmarks():
    for found in (found_in([], [(0, QUESTION)]), found_in([QUESTION], [])):
        assert len(found.best) == len(found.spans) == len(found.items) == 0
