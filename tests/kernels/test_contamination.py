"""Where texts repeat grams of benchmarks."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_runs import runs_of, words_of

from corpusforge.kernels.contamination import HIT, documents_with, scan
from corpusforge.kernels.ngram_index import build_index
from corpusforge.tables.text import text_buffers

ALPHABET = "aAbB 1-.\n中文é"
texts = st.lists(st.text(ALPHABET, max_size=40), max_size=6)
ITEM = (
    "What is the critical exponent of the correlation length of the two dimensional Ising model "
    "at its phase transition"
)


def buffers(listed):
    return text_buffers(pa.array(listed, pa.large_string()))


def index_of(items, n=13):
    return build_index(*buffers(items), np.arange(len(items)), n)


def found(documents, items, n=13):
    """(document, words of the gram, bytes that match) of every hit, in order."""
    index = index_of(items, n)
    hits = scan(*buffers(documents), index)
    return [
        (hit["document"], index.grams.sizes[hit["gram"]], hit["start"], hit["end"]) for hit in hits
    ]


def textbook_hits(documents, items, n):
    known = {run for item in items for run in runs_of(item, n)}
    hits = []
    for number, document in enumerate(documents):
        words = words_of(document)
        for first in range(len(words)):
            for size in range(1, n + 1):
                run = words[first : first + size]
                if len(run) == size and tuple(w.text for w in run) in known:
                    hits.append((number, size, run[0].start, run[-1].end))
    return hits


@given(texts, texts, st.integers(1, 5))
def test_a_scan_finds_what_sets_of_word_tuples_find_and_nothing_else(documents, items, n):
    assert found(documents, items, n) == textbook_hits(documents, items, n)


@given(texts, texts, st.integers(0, 6), st.integers(0, 6))
def test_a_slice_of_a_column_gives_what_its_texts_give(documents, items, start, length):
    column = pa.array(documents, pa.large_string()).slice(start, length)
    copied = pa.array(documents[start : start + length], pa.large_string())
    index = index_of(items, 2)
    a, b = scan(*text_buffers(column), index), scan(*text_buffers(copied), index)
    assert a.tolist() == b.tolist()


@given(texts, texts)
def test_a_hit_names_the_gram_and_the_word_that_it_starts_with(documents, items):
    index = index_of(items, 3)
    for hit in scan(*buffers(documents), index):
        words = words_of(documents[hit["document"]])
        size = index.grams.sizes[hit["gram"]]
        run = words[hit["word"] : hit["word"] + size]
        assert (run[0].start, run[-1].end) == (hit["start"], hit["end"])
        holders = index.items[index.bounds[hit["gram"]] : index.bounds[hit["gram"] + 1]]
        for item in holders:
            assert tuple(word.text for word in run) in runs_of(items[item], 3)


@given(texts, texts)
def test_documents_with_a_gram_are_counted_once_each_and_counts_add_up(documents, items):
    index = index_of(items, 2)
    hits = scan(*buffers(documents), index)
    expected = Counter(gram for _, gram in set(hits[["document", "gram"]].tolist()))
    counts = documents_with(hits, len(index))
    assert counts.tolist() == [expected[gram] for gram in range(len(index))]
    halves = [documents[:3], documents[3:]]
    parts = [documents_with(scan(*buffers(half), index), len(index)) for half in halves]
    assert counts.tolist() == sum(parts).tolist()


@pytest.mark.parametrize(
    "reprint",
    [
        ITEM,
        ITEM.upper(),
        ITEM.replace(" ", "\n"),
        ITEM.replace(" ", ", “") + "?",
        ITEM.replace("two dimensional", "two-dimensional").replace("length", "*length*"),
    ],
)
def test_case_spacing_and_punctuation_do_not_hide_an_item(reprint):
    before, after = "We ask: «é» ", " — a question of exams."
    spans = found([before + reprint + after], [ITEM])
    assert len(spans) == len(runs_of(ITEM, 13))
    assert spans[0][2] == len(before.encode())
    assert spans[-1][3] == len((before + reprint).rstrip("?*").encode())


@pytest.mark.parametrize(
    "changed",
    [
        ITEM.replace("length", "time"),
        " ".join(ITEM.split()[:12]),
        " ".join(reversed(ITEM.split())),
        ITEM.replace("critical", "crit ical").replace("two", "three").replace("of", "for"),
    ],
)
def test_twelve_words_or_other_words_are_no_hit(changed):
    assert found([changed], [ITEM]) == []


def test_a_text_shorter_than_a_gram_is_found_whole_and_only_whole():
    item = "Who proved the four colour theorem with a computer in 1976?"
    document = (
        f"Anyone may ask who proved the four-colour theorem with a computer in 1976. {item[:40]}"
    )
    [(_, size, start, end)] = found([document], [item])
    assert size == 11
    assert document[start:end] == "who proved the four-colour theorem with a computer in 1976"


def test_ideographs_are_words_of_their_own():
    item = "在二维伊辛模型中相变点的临界指数是多少"
    document = f"问题:{item}。"
    spans = found([document], [item])
    assert len(spans) == len(item) - 12
    whole = document.encode()[spans[0][2] : spans[-1][3]]
    assert whole.decode() == item


def test_items_that_overlap_are_each_found():
    words = [f"w{i}" for i in range(40)]
    first, second = " ".join(words[:25]), " ".join(words[15:])
    hits = found([" ".join(words)], [first, second])
    starts = [start for _, _, start, _ in hits]
    at = [word.start for word in words_of(" ".join(words))]
    # The grams from 13 on hold words of the second item that the first lacks; 15 on are its own.
    assert starts == [at[i] for i in (*range(13), *range(15, 28))]


def test_a_very_long_document_is_searched_to_its_end():
    words = np.random.default_rng(5).choice(50_000, 400_000)
    body = " ".join(f"word{number}" for number in words)
    document = f"{body} {ITEM}"
    hits = found(["", document, ITEM], [ITEM])
    grams = len(runs_of(ITEM, 13))
    assert [document for document, *_ in hits] == [1] * grams + [2] * grams
    assert hits[0][2] == len(body) + 1
    assert hits[grams - 1][3] == len(document)


@pytest.mark.parametrize("items", [[], [""], ["?!"]])
def test_an_empty_benchmark_finds_nothing(items):
    hits = scan(*buffers(["some words", ""]), index_of(items))
    assert hits.dtype == HIT
    assert len(hits) == 0
    assert documents_with(hits, 0).tolist() == []


def test_no_documents_have_no_hits():
    assert len(scan(*buffers([]), index_of([ITEM]))) == 0


def test_more_hits_than_the_first_guess_of_memory_are_all_kept():
    assert len(found(["again and " * 500] * 3, ["again and again"], 3)) == 3 * 499


def test_a_hash_alone_is_not_believed():
    """What a gram is changes behind its hash: it is not found any more."""
    texts = [ITEM, "one two three"]
    for field in ("words", "sizes"):
        index = index_of(texts)
        getattr(index.grams, field)[:] += 1
        assert len(scan(*buffers(texts), index)) == 0
