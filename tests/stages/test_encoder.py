"""Ids are those of `tokenizers`, always."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pyarrow as pa
import pytest
from corpora import prose
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from corpusforge.errors import ConfigError
from corpusforge.formats.vocabulary import open_tokenizer
from corpusforge.kernels.pretokens import REGEX, Pattern
from corpusforge.sources.streams import read_stream
from corpusforge.stages.encoder import open_encoder

SPECIALS = ["<|endoftext|>", "<|padding|>"]
SCIENCE = "\\alpha_{12} = 3.14159 \\times 10^{-6} nm, naïve α-helix µm 2024 don't we'll \r\n\r\n  x"  # noqa: RUF001
AWKWARD = [
    *"  \n\r\t\u00a0\u0085\u2028''sSmdlrve\\\\aBzé1²$^{}.,-中😀\u200d",
    *"\u0301\u20ddµﬁ\u1100\u1161\u11a8가",
]
pieces = st.sampled_from([*AWKWARD, *SPECIALS, "the ", " language", "\\alpha"]) | st.characters(
    exclude_categories=["Cs"]
)
texts = st.lists(pieces, max_size=30).map("".join)
KINDS = ["gpt2", "science", "gpt2 NFC", "gpt2 NFKC prefix", "science NFKC", "bytes", "bytes prefix"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def splitting(words):
    if "science" not in words:
        return pre_tokenizers.ByteLevel(add_prefix_space="prefix" in words)
    split = pre_tokenizers.Split(Regex(REGEX[Pattern.SCIENCE]), "isolated")
    return pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )


@cache
def tokenizer_of(kind):
    """The file of a tokenizer that was trained on made-up prose."""
    words = kind.split()
    tokenizer = Tokenizer(models.BPE())
    for form in {"NFC", "NFKC"} & set(words):
        tokenizer.normalizer = getattr(normalizers, form)()
    tokenizer.pre_tokenizer = splitting(words)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=258 if "bytes" in words else 1200,
        special_tokens=SPECIALS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    sample = [prose(f"encoder {i}", sentences=8) for i in range(40)]
    tokenizer.train_from_iterator([*sample, *[SCIENCE] * 20], trainer)
    path = Path(mkdtemp()) / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@cache
def both(kind):
    return open_encoder(tokenizer_of(kind)), open_tokenizer(tokenizer_of(kind))


def ids_of(encoder, documents):
    ids, bounds = encoder.encode(pa.array(documents, pa.large_string()))
    return [ids[a:b].tolist() for a, b in pairwise(bounds.tolist())]


def by_library(tokenizer, documents):
    encoded = tokenizer.encode_batch_fast(documents, add_special_tokens=False)
    return [encoding.ids for encoding in encoded]


@every_kind
@given(documents=st.lists(texts, max_size=3))
@example(documents=["", " ", "a", "", "\ta", *SPECIALS, SCIENCE, "x" * 400])
def test_ids_are_those_of_tokenizers(documents, kind):
    encoder, tokenizer = both(kind)
    assert encoder.fallback is None
    assert ids_of(encoder, documents) == by_library(tokenizer, documents)


@every_kind
def test_characters_of_all_planes_alone_and_between_letters(kind):
    encoder, tokenizer = both(kind)
    codes = [*range(0xD800), *range(0xE000, 0x110000)]
    alone = [chr(code) for code in (*codes[:0x3400], *codes[0x3400::311])]
    documents = [*alone, *[f"a{character}b" for character in alone]]
    assert ids_of(encoder, documents) == by_library(tokenizer, documents)


@pytest.mark.parametrize("kind", ["gpt2 NFKC prefix", "science NFKC"])
def test_real_texts(real_data, kind):
    encoder, tokenizer = both(kind)
    lines = b"".join(read_stream(real_data / "bench" / "arxiv" / "q-fin.EC.tsv.xz"))
    documents = lines.decode().split("\n")[:500]
    assert sum(map(len, documents)) > 400_000
    assert ids_of(encoder, documents) == by_library(tokenizer, documents)


@every_kind
def test_a_long_word_without_a_blank(kind):
    encoder, tokenizer = both(kind)
    word = "".join(Random(1).choices("ACGTthe", k=100_000))
    assert ids_of(encoder, [word]) == by_library(tokenizer, [word])


def test_ten_megabytes_without_a_blank_are_read_at_once():
    encoder, _ = both("gpt2")
    word = "".join(Random(2).choices("ACGT", k=1000)) + "\u3042"  # no merge reaches over the last
    (one,) = ids_of(encoder, [word])
    assert ids_of(encoder, [word * 10_000]) == [one * 10_000]


def test_slices_and_both_types_of_strings():
    encoder, tokenizer = both("gpt2")
    documents = [prose(i, sentences=1) for i in range(6)]
    for kind in (pa.string(), pa.large_string()):
        ids, bounds = encoder.encode(pa.array(documents, kind)[2:5])
        found = [ids[a:b].tolist() for a, b in pairwise(bounds.tolist())]
        assert found == by_library(tokenizer, documents[2:5])


@every_kind
def test_no_texts_and_empty_ones_have_no_ids(kind):
    encoder, _ = both(kind)
    for documents in ([], [""], ["", ""]):
        assert ids_of(encoder, documents) == [[]] * len(documents)


def test_a_null_is_refused_by_kernel_and_library_alike(tmp_path):
    for encoder in (both("gpt2")[0], open_encoder(changed(tmp_path, ignore_merges=True))):
        with pytest.raises(ValueError, match="expected large_string without nulls"):
            encoder.encode(pa.array(["a", None]))


def test_threads_encode_with_one_encoder_at_once():
    encoder, tokenizer = both("gpt2 NFKC prefix")
    parts = [[prose(f"{i} {j}", sentences=3) for j in range(50)] for i in range(12)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda part: ids_of(encoder, part), parts))
    assert found == [by_library(tokenizer, part) for part in parts]


def changed(folder, **model):
    settings = json.loads(tokenizer_of("gpt2").read_text())
    settings["model"].update(model)
    (folder / "tokenizer.json").write_text(json.dumps(settings))
    return folder / "tokenizer.json"


def test_what_the_kernel_does_not_cover_tokenizers_does(tmp_path):
    path = changed(tmp_path, ignore_merges=True)
    encoder = open_encoder(path)
    assert encoder.fallback == "its model has ignore_merges True"
    documents = ["the token", "", SCIENCE, "<|endoftext|>"]
    assert ids_of(encoder, documents) == by_library(open_tokenizer(path), documents)


def test_a_text_that_a_tokenizer_has_no_token_for_is_told(tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer(models.WordLevel({"the": 0}, unk_token="?")).save(str(path))
    encoder = open_encoder(path)
    with pytest.raises(
        ConfigError, match=r"cannot encode a text \(.*UNK.*\); it needs a token for"
    ):
        ids_of(encoder, ["the unknown"])


def test_a_normalizer_that_is_no_normal_form_is_applied_to_whole_texts(tmp_path):
    tokenizer = Tokenizer.from_file(str(tokenizer_of("gpt2")))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Strip()])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    encoder = open_encoder(tmp_path / "tokenizer.json")
    documents = ["  The TOKEN ", "   ", "É\u0301 <|ENDOFTEXT|>"]
    assert encoder.fallback is None
    tokenizer.encode_special_tokens = True
    assert ids_of(encoder, documents) == by_library(tokenizer, documents)


def test_a_tokenizer_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none.json does not exist: expected a tokenizer.json"):
        open_encoder(tmp_path / "none.json")
