"""What the cuts between shards promise."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.stages.shard_cuts import Cut, cuts, ranges, read_cuts, write_cuts
from corpusforge.stages.shard_parts import Part

TOP = 2**64
orders = st.lists(st.one_of(st.integers(0, 20), st.integers(0, TOP - 1)), max_size=40)
pieces = st.integers(1, 5)


def keyed(order, lengths, count):
    """The documents in so many ranges of the order, as `ranges` gives them."""
    order, lengths = np.array(order, np.uint64), np.array(lengths, np.int64)
    for i in range(count):
        here = [TOP * i // count <= int(key) < TOP * (i + 1) // count for key in order]
        yield order[here], lengths[here]


@given(orders, st.data(), st.integers(1, 60), pieces)
def test_shards_cover_the_order_and_none_is_too_large(order, data, limit, count):
    order = sorted(order)
    lengths = data.draw(st.lists(st.integers(1, 25), min_size=len(order), max_size=len(order)))
    made = cuts(keyed(order, lengths, count), sum(lengths), limit)
    assert (made[0].low, made[-1].high) == (0, TOP)
    assert all(a.high == b.low for a, b in pairwise(made))
    for cut in made:
        held = [n for key, n in zip(order, lengths, strict=True) if cut.low <= key < cut.high]
        assert (cut.documents, cut.tokens) == (len(held), sum(held))
        assert held or not order
        keys = {key for key in order if cut.low <= key < cut.high}
        assert cut.tokens <= limit or len(keys) == 1  # equal keys cannot be told apart


@given(orders, st.integers(1, 60), pieces)
def test_how_much_is_looked_at_together_changes_nothing(order, limit, count):
    order = sorted(order)
    lengths = [1 + key % 9 for key in order]
    whole, parts = (keyed(order, lengths, n) for n in (1, count))
    assert cuts(whole, sum(lengths), limit) == cuts(parts, sum(lengths), limit)


def test_shards_are_about_equally_large():
    order = np.arange(1000, dtype=np.uint64) * 2**50
    made = cuts(iter([(order, np.full(1000, 10))]), 10_000, 3_000)
    assert [cut.tokens for cut in made] == [2_500] * 4


def test_a_document_longer_than_a_shard_has_one_of_its_own():
    order = np.array([1, 2, 3], np.uint64)
    made = cuts(iter([(order, np.array([5, 100, 5]))]), 110, 10)
    assert [(cut.low, cut.documents, cut.tokens) for cut in made] == [
        (0, 1, 5),
        (2, 1, 100),
        (3, 1, 5),
    ]


def test_no_documents_make_one_empty_shard():
    assert cuts(iter([]), 0, 10) == [Cut(0, TOP, 0, 0)]


@given(st.lists(orders, max_size=4), pieces)
def test_ranges_give_every_document_once_in_order(parts, count):
    made = []
    for order in parts:
        lengths = np.array([1 + key % 5 for key in sorted(order)], np.int64)
        bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        keys = np.array(sorted(order), np.uint64)
        none = pa.RecordBatch.from_pydict({})
        made.append(Part(none, bounds, np.empty(0), keys, None))
    found = [
        pair for o, t in ranges(made, count) for pair in zip(o.tolist(), t.tolist(), strict=True)
    ]
    every = sorted(key for order in parts for key in order)
    assert found == [(key, 1 + key % 5) for key in every]


def test_cuts_come_back_as_they_were(tmp_path):
    made = [Cut(0, 2**63 + 1, 3, 30), Cut(2**63 + 1, TOP, 1, 4)]
    write_cuts(tmp_path / "train.json", made)
    assert read_cuts(tmp_path / "train.json") == made
