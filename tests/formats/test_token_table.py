"""What the bytes behind the ids of a tokenizer promise."""

import json

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from corpusforge.formats.token_table import token_table


def byte_level(texts, specials=("<|endoftext|>",)):
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=list(specials),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


MADE = byte_level(["naïve Σ 中文 and the the the tokens"] * 3)


@given(st.text())
def test_the_bytes_of_a_texts_ids_are_the_text(text):
    table = token_table(MADE)
    ids = MADE.encode(text, add_special_tokens=False).ids
    pieces = [table.data[table.bounds[i] : table.bounds[i + 1]].tobytes() for i in ids]
    assert b"".join(pieces) == text.encode()


def test_an_added_token_is_what_it_is_written_as():
    table = token_table(MADE)
    assert table.data[: table.bounds[1]].tobytes() == b"<|endoftext|>"
    assert len(table.bounds) == MADE.get_vocab_size() + 1


def test_a_tokenizer_that_does_not_spell_bytes_has_no_table():
    assert token_table(Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))) is None


def test_ids_with_a_gap_have_a_table_up_to_the_largest():
    settings = json.loads(MADE.to_str())
    vocabulary = settings["model"]["vocab"]
    last = max(vocabulary, key=vocabulary.get)
    vocabulary[last] = 70_000
    table = token_table(Tokenizer.from_str(json.dumps(settings)))
    assert len(table.bounds) == 70_002
    assert table.bounds[70_001] - table.bounds[70_000] == table.bounds[-1] - table.bounds[69_999]
    assert table.bounds[70_000] == table.bounds[69_999]
