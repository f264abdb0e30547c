"""What a file of counted words promises: every word once a batch, found by its hash."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.formats.word_counts import SCHEMA, word_writer, words_between
from corpusforge.kernels.word_counts import WordList, add_counted, nothing_counted

tables = st.lists(st.dictionaries(st.binary(max_size=9), st.integers(1, 2**40), max_size=9))


def table_of(words):
    bounds = np.cumsum([0, *map(len, words)])
    counts = np.array(list(words.values()), np.int64)
    data = np.frombuffer(b"".join(words), np.uint8)
    return add_counted(nothing_counted(), WordList(data, bounds, counts))


def read(path, low=0, high=2**64):
    """The words of each batch with their counts."""
    return [
        {
            part.data[a:b].tobytes(): int(n)
            for a, b, n in zip(part.bounds[:-1], part.bounds[1:], part.counts, strict=True)
        }
        for part in words_between(path, low, high)
    ]


@given(batches=tables)
def test_words_come_back_batch_by_batch(tmp_path_factory, batches):
    path = tmp_path_factory.mktemp("words") / "a.arrow"
    with word_writer(path) as writer:
        for words in batches:
            writer.write(table_of(words))
    assert read(path) == [words for words in batches if words]


@given(words=st.dictionaries(st.binary(max_size=9), st.integers(1, 9)), data=st.data())
def test_every_word_is_in_one_range_of_hashes(tmp_path_factory, words, data):
    path = tmp_path_factory.mktemp("words") / "a.arrow"
    with word_writer(path) as writer:
        writer.write(table_of(words))
    hashes = pa.ipc.open_file(str(path)).read_all()["hash"].to_pylist()
    # Bounds on a hash and beside it as well: a word belongs to the range that it starts.
    places = st.sampled_from(
        [0, 2**63, *hashes, *(h - 1 for h in hashes), *(h + 1 for h in hashes)]
    )
    bound = max(0, data.draw(places))
    below, above = read(path, 0, bound), read(path, bound, 2**64)
    together = [*below, *above]
    assert sum(map(len, together)) == len(words)
    assert {k: v for part in together for k, v in part.items()} == words
    assert sum(map(len, below)) == sum(h < bound for h in hashes)


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "a.arrow"
    path.write_bytes(b"not Arrow")
    with pytest.raises(FormatError, match=r"a\.arrow cannot be read as an Arrow file"):
        read(path)


def test_a_file_of_other_columns_is_refused(tmp_path):
    path = tmp_path / "a.arrow"
    schema = pa.schema([("word", pa.binary())])
    with pa.ipc.new_file(str(path), schema):
        pass
    with pytest.raises(FormatError, match=r"a\.arrow has columns \['word'\], expected \['hash', "):
        read(path)


def test_nothing_is_left_of_a_file_that_was_not_finished(tmp_path):
    path = tmp_path / "a.arrow"
    with pytest.raises(ValueError, match="stop"), word_writer(path):
        raise ValueError("stop")
    assert not path.exists()
    assert SCHEMA.names == ["hash", "word", "count"]
