"""How many bytes a token stands for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.training.tokenizer import byte_lengths, token_text, tokenizer_file


@given(text=st.text())
def test_the_bytes_of_the_tokens_of_a_text_add_up_to_the_text(text, folder):
    tokenizer = Tokenizer.from_file(str(folder.tokenizer))
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    lengths = byte_lengths(folder.tokenizer, tokenizer.get_vocab_size())
    assert lengths[ids].sum() == len(text.encode())


def test_special_tokens_stand_for_no_text_and_others_that_were_added_for_theirs(folder, tmp_path):
    tokenizer = Tokenizer.from_file(str(folder.tokenizer))
    tokenizer.add_tokens(["naïve"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    size = tokenizer.get_vocab_size()
    lengths = byte_lengths(tmp_path / "tokenizer.json", size)
    assert (lengths[0], lengths[1], lengths[size - 1]) == (0, 0, 6)
    assert token_text(tmp_path / "tokenizer.json", 0) == "<|endoftext|>"
    assert token_text(tmp_path / "tokenizer.json", 5) is None


def test_a_folder_and_the_file_in_it_mean_the_same(folder):
    assert tokenizer_file(folder.tokenizer.parent) == tokenizer_file(folder.tokenizer)


def test_a_tokenizer_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"tokenizer.json does not exist: --tokenizer takes"):
        tokenizer_file(tmp_path)


def test_the_tokenizer_of_another_corpus_is_refused(folder):
    with pytest.raises(ConfigError, match=r"has 280 tokens with ids up to 279, .* made with 301"):
        byte_lengths(folder.tokenizer, 301)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "is not a tokenizer.json"),
        (json.dumps({"model": {"type": "Unigram"}}), "holds a Unigram model without a byte-level"),
        (json.dumps({"model": {"type": "BPE"}}), "holds a BPE model without a byte-level"),
    ],
)
def test_a_tokenizer_without_byte_level_entries_is_refused(content, message, tmp_path):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ConfigError, match=message):
        byte_lengths(tmp_path / "tokenizer.json", 300)
