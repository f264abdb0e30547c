"""The bytes behind a column of texts."""

from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.tables.text import text_buffers

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8)


def read_back(array):
    data, bounds = text_buffers(array)
    return [bytes(data[a:b]).decode() for a, b in pairwise(bounds)]


@given(texts)
def test_every_text_is_between_its_bounds(column):
    assert read_back(pa.array(column, pa.large_string())) == column


@given(texts, st.integers(0, 8), st.integers(0, 8))
def test_a_slice_gives_its_own_texts(column, start, length):
    array = pa.array(column, pa.large_string()).slice(start, length)
    assert read_back(array) == column[start : start + length]


@given(texts, st.data())
def test_filtered_texts_are_the_texts(column, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(column), max_size=len(column)))
    array = pa.array(column, pa.large_string()).filter(pa.array(mask, pa.bool_()))
    assert read_back(array) == [text for text, keep in zip(column, mask, strict=True) if keep]


def test_the_bytes_are_not_copied():
    array = pa.array(["some", "text"], pa.large_string())
    data, _ = text_buffers(array)
    assert data.ctypes.data == array.buffers()[2].address


@pytest.mark.parametrize(
    ("array", "found"),
    [
        (pa.array(["a", None], pa.large_string()), "large_string with 1 nulls"),
        (pa.array(["a"], pa.string()), "string with 0 nulls"),
        (pa.array([1]), "int64 with 0 nulls"),
    ],
)
def test_other_columns_are_refused_by_type_and_nulls(array, found):
    with pytest.raises(ValueError, match=f"expected large_string without nulls, got {found}"):
        text_buffers(array)


def test_a_null_outside_the_slice_does_not_matter():
    array = pa.array([None, "a", "b"], pa.large_string())
    assert read_back(array.slice(1)) == ["a", "b"]
