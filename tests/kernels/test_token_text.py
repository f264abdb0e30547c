"""What the bytes of token ids promise."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.token_text import decode_runs

entries = st.lists(st.binary(max_size=4), min_size=1, max_size=6)


@given(entries, st.data())
def test_a_document_is_its_tokens_bytes_one_after_another(table, data):
    ids = st.lists(st.integers(0, len(table) - 1), max_size=6)
    documents = data.draw(st.lists(ids, max_size=5))
    tokens = np.array([token for document in documents for token in document], np.uint16)
    bounds = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    flat = np.frombuffer(b"".join(table), np.uint8)
    decoded, ends = decode_runs(tokens, bounds, flat, np.cumsum([0, *map(len, table)]))
    content = decoded.tobytes()
    found = [content[ends[i] : ends[i + 1]] for i in range(len(documents))]
    assert found == [b"".join(table[token] for token in document) for document in documents]


def test_documents_may_begin_anywhere_in_the_tokens():
    table, bounds = np.frombuffer(b"abc", np.uint8), np.arange(4)
    decoded, ends = decode_runs(np.array([0, 1, 2, 2]), np.array([1, 3]), table, bounds)
    assert (decoded.tobytes(), ends.tolist()) == (b"bc", [0, 2])
