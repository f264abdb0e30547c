"""What decoding documents promises: the text that was encoded, or a word that it is not."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from xxhash import xxh3_64_intdigest

from corpusforge.errors import FormatError
from corpusforge.pipeline.shard_texts import decode, open_decoder
from corpusforge.stages.encoder import open_encoder


@pytest.fixture(scope="module", params=[False, True], ids=["as it is", "with a blank before it"])
def file(request, tmp_path_factory):
    """A byte-level tokenizer, which may put a blank before a text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=request.param)
    made.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=270, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(["the theory of the thing"], trainer)
    path = tmp_path_factory.mktemp("texts") / "tokenizer.json"
    made.save(str(path))
    return path


def encoded(file, texts):
    ids, bounds = open_encoder(file).encode(pa.array(texts, pa.large_string()))
    digests = [xxh3_64_intdigest(text.encode()) for text in texts]
    return np.split(ids, bounds[1:-1]), np.array(digests, np.uint64)


@given(texts=st.lists(st.text() | st.text(" the", max_size=6), min_size=1, max_size=8))
def test_ids_decode_to_the_texts_that_were_encoded(file, texts):
    documents, digests = encoded(file, texts)
    found = decode(open_decoder(file), documents, digests)
    assert not found.wrong.any()
    whole = found.data.tobytes()
    assert [whole[start:end].decode() for start, end in found.spans] == texts


def test_another_text_is_called_wrong_and_no_other(file):
    documents, digests = encoded(file, ["the theory", "a thing", "", "the thing"])
    documents[1] = documents[1][:-1]
    found = decode(open_decoder(file), documents, digests)
    assert found.wrong.tolist() == [False, True, False, False]


def test_an_id_that_the_tokenizer_does_not_have_is_refused(file):
    with pytest.raises(FormatError, match=r"an id is 999, but the tokenizer has 2\d\d;"):
        decode(open_decoder(file), [np.array([5, 999])], np.array([0], np.uint64))


def test_a_tokenizer_that_puts_blanks_into_texts_has_no_decoder(file, tmp_path):
    made = Tokenizer.from_file(str(file))
    digits, spaced = pre_tokenizers.Digits(), pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, spaced])
    made.save(str(tmp_path / "tokenizer.json"))
    assert open_decoder(tmp_path / "tokenizer.json") is None


def test_a_tokenizer_of_another_kind_has_no_decoder(tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer(models.WordLevel({"word": 0, "[UNK]": 1}, unk_token="[UNK]")).save(str(path))
    assert open_decoder(path) is None
