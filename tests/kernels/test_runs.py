"""What copying runs promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.runs import copy_runs

documents = st.lists(st.lists(st.integers(0, 60_000), max_size=5), min_size=1, max_size=9)


@pytest.mark.parametrize("types", [("<u4", "<u2"), ("<u2", "<u2"), ("<u4", "<i4")])
@given(documents=documents, random=st.randoms())
def test_documents_come_out_in_the_order_that_is_asked_for(types, documents, random):
    source = np.concatenate([np.array(d, types[0]) for d in documents])
    lengths = np.array([len(d) for d in documents])
    order = random.sample(range(len(documents)), len(documents))
    target = np.full(lengths.sum(), 7, types[1])
    starts, placed = (np.cumsum(lengths) - lengths)[order], lengths[order]
    copy_runs(source, starts, placed, target, np.cumsum(placed) - placed)
    assert target.tolist() == [token for i in order for token in documents[i]]


def test_what_no_run_covers_stays():
    target = np.arange(6)
    copy_runs(np.array([50, 51]), np.array([0]), np.array([2]), target, np.array([3]))
    assert target.tolist() == [0, 1, 2, 50, 51, 5]
