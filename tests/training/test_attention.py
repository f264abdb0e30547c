"""Which tokens attention reaches, on whatever device."""

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.attention import varlen

from corpusforge.training.attention import Reach, attend, bounds_of, reach_of

windows = st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=3)


def document_of(row):
    """The document of each token of a row, told one token after the other."""
    documents, current = [], 0
    for place in row:
        current += place == 0
        documents.append(current)
    return documents


@given(windows)
def test_a_token_reaches_itself_and_what_its_document_said_before(rows):
    mask = reach_of(torch.tensor(rows), torch.float32).mask
    if mask is None:  # where each window is one document: what lies before, the kernel knows
        assert all(0 not in row[1:] for row in rows)
        mask = torch.ones(len(rows), 1, 6, 6, dtype=torch.bool).tril()
    for row, seen in zip(rows, mask[:, 0].tolist(), strict=True):
        documents = document_of(row)
        for i, reached in enumerate(seen):
            assert reached == [j <= i and documents[j] == documents[i] for j in range(len(row))]


@given(windows)
def test_the_bounds_of_documents_are_their_first_tokens_and_the_end(rows):
    expected = [
        number * 6 + i for number, row in enumerate(rows) for i in range(6) if i == 0 or row[i] == 0
    ]
    assert bounds_of(torch.tensor(rows)).tolist() == [*expected, 6 * len(rows)]


def packed_attention(query, key, value, bounds, _bounds, *_longest, window_size):
    """What the kernel of GPUs computes, one document after the other."""
    assert window_size == (-1, 0)
    answer = torch.empty_like(query)
    for start, end in pairwise(bounds.tolist()):
        part = [tensor[None, start:end] for tensor in (query, key, value)]
        answer[start:end] = attend(*part, Reach())[0]
    return answer


def test_the_kernel_for_documents_and_the_mask_agree(monkeypatch):
    monkeypatch.setattr(varlen, "varlen_attn", packed_attention)
    positions = torch.tensor([[0, 1, 2, 0, 1, 0], [4, 5, 0, 1, 2, 3]])
    generator = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 2, 6, 4, 8, generator=generator)
    by_mask = attend(query, key, value, reach_of(positions, torch.float32))
    by_bounds = attend(query, key, value, Reach(bounds=bounds_of(positions)))
    assert torch.allclose(by_mask, by_bounds, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_cpu_has_no_kernel_for_documents(dtype):
    reach = reach_of(torch.zeros(1, 4, dtype=torch.int64), dtype)
    assert reach.mask is not None
    assert reach.bounds is None
