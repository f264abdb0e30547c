"""Reading benchmarks."""

import gzip
import json
import re

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import SourceError
from corpusforge.formats.benchmarks import Item, file_bytes, read_benchmark

QUESTION, ANSWER = ("question", "text"), ("choices", "answer")
words = st.text('ab \n"é中\u2028', max_size=12)


def write(folder, content):
    path = folder / "items.jsonl"
    path.write_bytes(content)
    return path


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def read(path):
    return read_benchmark(path, QUESTION, ANSWER)


def only(folder, record):
    [item] = read(write(folder, lines(record)))
    return item


def packed(content):
    """The same bytes as people keep them; in two members or frames as well."""
    half = len(content) // 2
    parts = (content[:half], content[half:])
    yield content
    yield b"\xef\xbb\xbf" + content
    yield gzip.compress(content)
    yield b"".join(map(gzip.compress, parts))
    yield zstandard.compress(content)
    yield b"".join(map(zstandard.compress, parts))


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5))
def test_every_line_is_an_item_however_the_file_is_packed(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("benchmark")
    content = lines(*({"question": q, "answer": a} for q, a in texts))
    expected = [Item(i, (q,), (a,)) for i, (q, a) in enumerate(texts, start=1)]
    for whole in packed(content):
        assert read(write(folder, whole)) == expected


def test_blank_lines_are_no_items_but_count_as_lines(tmp_path):
    path = write(tmp_path, b'\n{"text": "a"}\r\n  \n{"text": "b"}')
    assert read(path) == [Item(2, ("a",), ()), Item(4, ("b",), ())]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("one", ("one",)),
        (["one", "two"], ("one", "two")),
        ({"text": ["one", "two"], "label": ["A", "B"]}, ("one", "two")),
        ([{"text": "one", "label": "A"}, {"text": "two", "label": "B"}], ("one", "two")),
        ({"label": ["A"]}, ()),
        (2, ()),
        (None, ()),
        ([True, 0.5], ()),
    ],
)
def test_choices_come_in_many_shapes_and_numbers_are_no_texts(tmp_path, value, texts):
    assert only(tmp_path, {"question": "why", "choices": value}).answer == texts


def test_fields_are_taken_in_the_order_of_their_names_in_the_config(tmp_path):
    record = {"answer": "d", "text": "b", "choices": ["c"], "question": "a", "id": "x"}
    assert only(tmp_path, record) == Item(1, ("a", "b"), ("c", "d"))


def test_a_question_may_be_empty(tmp_path):
    assert only(tmp_path, {"question": None}) == Item(1, (), ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no items; expected a benchmark"),
        (b" \n\n", "has no items"),
        (b'{"text": "a"}\n{"text": \n', r"line 2 cannot be read: .*starts with b'{\"text\": '"),
        (b'[{"text": "a"}]\n', r"line 1 cannot be read: .*expected one JSON object"),
        (b'{"text": "\xff"}\n', "line 1 cannot be read: "),
        (b'{"q": "a", "id": 1}\n', "line 1 has the fields id, q; expected question or text; say"),
        (b"{}\n", "line 1 has the fields none"),
        (gzip.compress(b"x" * 999)[:-9], "is damaged or cut short: .*fetch it again"),
        (zstandard.compress(b"x" * 999)[:-3], "cut short: it ends inside a zstd frame"),
        (zstandard.compress(b"x" * 999) + b"more", "is damaged or cut short: "),
        (b"\x1f\x8bnonsense", "is damaged or cut short: "),
    ],
)
def test_what_is_no_benchmark_is_told_with_its_file_and_line(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(SourceError, match=f"{re.escape(str(path))}.*{message}"):
        read(path)


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_told(tmp_path, name):
    for reader in (read, file_bytes):
        with pytest.raises(SourceError, match=f"{tmp_path}.* cannot be read: .*change `file`"):
            reader(tmp_path / name)
