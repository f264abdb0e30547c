"""What the tokenizer stage promises: one vocabulary for the same documents, and no loss of text."""

import json
from random import Random

import msgspec
import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers
from transformers import AutoTokenizer

from corpusforge.errors import ConfigError
from corpusforge.stages import dedup, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.tokenizer import TOKENIZER, TokenizerConfig
from stages.folders import run_stage, write_clean

DOCUMENTS = [(f"s:{i}", prose(f"tokenizer {i}", sentences=4)) for i in range(40)]


def run(base, partitions, **settings):
    """Train on these partitions of (doc_id, text); the tally and the tokenizer's folder."""
    reads = {"clean": write_clean(base / "clean", partitions), "dedup": base / "dedup"}
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], {"clean": reads["clean"]})
    config = TokenizerConfig(**({"vocabulary": 320} | settings))
    tally = run_stage(tokenizer.STAGE, config, base / "tokenizer", reads)
    return tally, base / "tokenizer" / TOKENIZER


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return run(tmp_path_factory.mktemp("trained"), [DOCUMENTS[:25], DOCUMENTS[25:]])


def test_the_same_documents_give_the_same_bytes_for_any_order_and_layout(tmp_path, trained):
    shuffled = Random(5).sample(DOCUMENTS, len(DOCUMENTS))
    layouts = [[DOCUMENTS], [shuffled[:3], [], shuffled[3:20], shuffled[20:]]]
    for i, layout in enumerate([*layouts, layouts[0]]):
        _, folder = run(tmp_path / str(i), layout)
        assert files(folder) == files(trained[1])


@pytest.mark.parametrize("sample_bytes", [5_000, 2_000])
def test_a_sample_does_not_depend_on_the_layout_either(tmp_path, sample_bytes):
    one, one_folder = run(tmp_path / "one", [DOCUMENTS], sample_bytes=sample_bytes)
    layout = [DOCUMENTS[i::7] for i in range(7)]
    seven, seven_folder = run(tmp_path / "seven", layout, sample_bytes=sample_bytes)
    assert files(one_folder) == files(seven_folder)
    assert one.counts == seven.counts


def test_the_special_tokens_are_the_first_two(trained):
    made = Tokenizer.from_file(str(trained[1] / "tokenizer.json"))
    assert [made.token_to_id(t) for t in ("<|endoftext|>", "<|padding|>")] == [0, 1]
    assert made.get_vocab_size() == 320
    assert trained[0].counts["vocabulary"] == 320


def test_every_byte_is_in_the_vocabulary_so_nothing_is_unknown(trained):
    made = Tokenizer.from_file(str(trained[1] / "tokenizer.json"))
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    assert len(alphabet) == 256
    assert alphabet <= set(made.get_vocab())


@settings(max_examples=200)
@given(text=st.text())
def test_texts_come_back_as_they_were(trained, text):
    made = Tokenizer.from_file(str(trained[1] / "tokenizer.json"))
    made.encode_special_tokens = True
    ids = made.encode(text, add_special_tokens=False).ids
    assert made.decode(ids, skip_special_tokens=False) == text
    assert all(id > 1 for id in ids)


def test_words_of_the_corpus_take_fewer_tokens_than_bytes(trained):
    made = Tokenizer.from_file(str(trained[1] / "tokenizer.json"))
    text = prose("unseen")
    assert len(made.encode(text).ids) < 0.75 * len(text)


def test_transformers_opens_it_and_agrees(trained):
    made = Tokenizer.from_file(str(trained[1] / "tokenizer.json"))
    opened = AutoTokenizer.from_pretrained(trained[1])
    assert (opened.eos_token_id, opened.bos_token_id, opened.pad_token_id) == (0, 0, 1)
    text = prose("unseen") + " naïve, 中文"
    assert opened(text)["input_ids"] == made.encode(text).ids
    assert opened.decode(opened(text)["input_ids"]) == text


def test_a_sample_has_about_the_bytes_asked_for(tmp_path):
    documents = [(f"s:{i}", prose(i, sentences=1)) for i in range(800)]
    total = sum(len(text) for _, text in documents)
    tally, _ = run(tmp_path, [documents], sample_bytes=total // 4)
    # A draw of 800 with chance 1/4: 4 sigma are 4 sqrt(3/16/800) = 6 % of the whole.
    assert abs(tally.counts["sampled_bytes"] / total - 0.25) < 0.062
    assert abs(tally.counts["sampled_documents"] / 800 - 0.25) < 0.062
    assert tally.bytes_read == tally.counts["sampled_bytes"]


def test_a_sample_larger_than_the_corpus_is_the_corpus(trained):
    tally, _ = trained
    assert tally.counts["sampled_documents"] == 40
    assert tally.counts["sampled_bytes"] == sum(len(text.encode()) for _, text in DOCUMENTS)


def test_another_seed_draws_other_documents(tmp_path):
    drawn = [
        run(tmp_path / str(seed), [DOCUMENTS], sample_bytes=5_000, seed=seed)[1] for seed in (1, 2)
    ]
    assert files(drawn[0]) != files(drawn[1])


def test_a_partition_of_which_nothing_is_drawn_is_passed_over(tmp_path):
    layout = [[doc] for doc in DOCUMENTS]
    tally, _ = run(tmp_path, layout, sample_bytes=2_000)
    assert 0 < tally.counts["sampled_documents"] < len(layout)


def test_only_survivors_are_drawn(tmp_path):
    copies = [(f"copy:{i}", DOCUMENTS[0][1]) for i in range(10)]
    tally, _ = run(tmp_path, [copies, DOCUMENTS[1:5]])
    assert tally.counts["sampled_documents"] == 5


@pytest.mark.parametrize("partitions", [[[]], [[], []], [[("s:1", "")]]])
def test_a_corpus_without_text_is_refused(tmp_path, partitions):
    with pytest.raises(ConfigError, match="no text to train a tokenizer on: every document was"):
        run(tmp_path, partitions)


def test_a_vocabulary_without_room_for_all_bytes_is_refused():
    with pytest.raises(msgspec.ValidationError, match=r">= 258 - at `\$\.vocabulary`"):
        msgspec.convert({"vocabulary": 257}, TokenizerConfig)


def test_a_small_corpus_gives_a_smaller_vocabulary_than_asked_for(tmp_path):
    tally, folder = run(tmp_path, [[("s:1", "ab ab ab")]], vocabulary=52_000)
    assert tally.counts["vocabulary"] == len(
        Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    )
    assert 258 < tally.counts["vocabulary"] < 270


def test_a_golden_corpus_keeps_its_first_merges(trained):
    """Golden values. If this fails, `tokenizers` learns otherwise: raise the stage's version."""
    model = json.loads((trained[1] / "tokenizer.json").read_bytes())["model"]
    merges = [" ".join(pair) for pair in model["merges"][:8]]
    assert merges == ["h e", "Ġ t", "Ġt he", "r e", "Ġ s", "e r", "Ġ c", "Ġ o"]
