"""What the tokenizer stage promises: one vocabulary for the same documents, and no loss of text."""

import json
from random import Random

import msgspec
import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, pre_tokenizers, trainers
from transformers import AutoTokenizer

from corpusforge.errors import ConfigError, RunError
from corpusforge.kernels.bpe_training import learn_merges
from corpusforge.stages import dedup, tokenizer, tokenizer_words
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.tokenizer import TokenizerConfig
from corpusforge.stages.tokenizer_files import NAMES, SPECIALS, TOKENIZER, tokenizer_of
from corpusforge.stages.tokenizer_recipe import PRESETS
from corpusforge.stages.tokenizer_training import MAX_TOKEN
from stages.folders import run_stage, write_clean

DOCUMENTS = [(f"s:{i}", prose(f"tokenizer {i}", sentences=4)) for i in range(40)]
# What presets split in different ways.
ODD = [
    "The ﬁrst \\alpha{x} = 12345 of naïve cafe\u0301s, 2\u03bcm.",
    " Blank first;  then two.\n\n\tTabs\r\n中文 and don't 10^{-3}",
]


def run(base, partitions, **settings):
    """Train on these partitions of (doc_id, text); the tally and the tokenizer's folder."""
    reads = {"clean": write_clean(base / "clean", partitions), "dedup": base / "dedup"}
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], {"clean": reads["clean"]})
    config = msgspec.convert({"vocabulary": 320, "diagnostics": None} | settings, TokenizerConfig)
    tally = run_stage(tokenizer.STAGE, config, base / "tokenizer", reads, base)
    return tally, base / "tokenizer" / TOKENIZER


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def opened(folder):
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return run(tmp_path_factory.mktemp("trained"), [DOCUMENTS[:25], DOCUMENTS[25:]])


@pytest.fixture(scope="module", params=PRESETS)
def preset(request, tmp_path_factory):
    documents = [*DOCUMENTS[:10], *((f"odd:{i}", text) for i, text in enumerate(ODD))]
    _, folder = run(tmp_path_factory.mktemp("preset"), [documents], preset=request.param)
    return request.param, [text for _, text in documents], folder


def test_the_same_documents_give_the_same_bytes_for_any_order_and_layout(tmp_path, trained):
    shuffled = Random(5).sample(DOCUMENTS, len(DOCUMENTS))
    layouts = [[DOCUMENTS], [shuffled[:3], [], shuffled[3:20], shuffled[20:]]]
    for i, layout in enumerate([*layouts, layouts[0]]):
        _, folder = run(tmp_path / str(i), layout)
        assert files(folder) == files(trained[1])


def test_words_written_in_many_batches_and_ranges_give_the_same_bytes(
    tmp_path, trained, monkeypatch
):
    monkeypatch.setattr(tokenizer_words, "TABLE_BYTES", 1000)
    monkeypatch.setattr(tokenizer_words, "_DOCUMENTS", 2)
    monkeypatch.setattr(tokenizer, "WORDS_PER_RANGE", 20)
    tally, folder = run(tmp_path, [DOCUMENTS])
    assert files(folder) == files(trained[1])
    written = tally.counts["science_words"]
    assert written > 2 * trained[0].counts["science_words"]  # many were in several batches
    assert tally.counts["science_distinct_words"] == trained[0].counts["science_distinct_words"]
    ranges = list((tmp_path / "tokenizer" / "scratch" / "merged").rglob("*.arrow"))
    assert len(ranges) == 1 + written // 20


@pytest.mark.parametrize("size", [5_000, 2_000])
def test_a_sample_does_not_depend_on_the_layout_either(tmp_path, size):
    one, one_folder = run(tmp_path / "one", [DOCUMENTS], sample={"bytes": size})
    layout = [DOCUMENTS[i::7] for i in range(7)]
    seven, seven_folder = run(tmp_path / "seven", layout, sample={"bytes": size})
    assert files(one_folder) == files(seven_folder)
    for name in ("sampled_documents", "sampled_bytes", "science_distinct_words"):
        assert one.counts[name] == seven.counts[name]


def test_vocabulary_and_merges_are_those_that_tokenizers_learns(preset):
    name, texts, folder = preset
    made = opened(folder)
    theirs = Tokenizer.from_str(empty(name))
    trainer = trainers.BpeTrainer(
        vocab_size=320 if name != "bytes" else 258,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=MAX_TOKEN,
        show_progress=False,
    )
    theirs.train_from_iterator(texts, trainer)
    assert theirs.to_str() == made.to_str()


def empty(name):
    """The tokenizer of a preset before it has learnt anything."""
    nothing = learn_merges(tokenizer_words.all_words([]), 258, 2, MAX_TOKEN)
    return tokenizer_of(PRESETS[name], nothing).to_str()


def test_the_special_tokens_are_the_first_two(preset):
    name, _, folder = preset
    made = opened(folder)
    assert [made.token_to_id(t) for t in ("<|endoftext|>", "<|padding|>")] == [0, 1]
    assert made.get_vocab_size() == (258 if name == "bytes" else 320)


def test_every_byte_is_in_the_vocabulary_so_nothing_is_unknown(preset):
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    assert len(alphabet) == 256
    assert alphabet <= set(opened(preset[2]).get_vocab())


@settings(max_examples=200)
@given(text=st.text())
def test_texts_come_back_as_they_were(preset, text):
    name, _, folder = preset
    made = opened(folder)
    made.encode_special_tokens = True
    ids = made.encode(text, add_special_tokens=False).ids
    if name == "forge":  # which promises less
        text = made.normalizer.normalize_str(text)
        text = text if not text or text.startswith(" ") else f" {text}"
    assert made.decode(ids, skip_special_tokens=False) == text
    assert all(id > 1 for id in ids)


def test_presets_split_texts_as_they_say(preset):
    name, _, folder = preset
    made = opened(folder)
    pieces = made.pre_tokenizer.pre_tokenize_str("\\alpha 12345 isn't")
    told = [piece.replace("Ġ", " ") for piece, _ in pieces]
    assert (
        told
        == {
            "science": ["\\alpha", " 123", "45", " isn", "'", "t"],
            "gpt2": ["\\", "alpha", " 12345", " isn", "'t"],
            "forge": [" \\", "alpha", " 12345", " isn", "'t"],
            "bytes": ["\\", "alpha", " 12345", " isn", "'t"],
        }[name]
    )
    assert len(made.encode("ﬁ").ids) == (3 if name != "forge" else len(made.encode("fi").ids))


def test_bytes_are_one_token_each(tmp_path):
    _, folder = run(tmp_path, [DOCUMENTS], preset="bytes")
    text = "a naïve 中"
    assert len(opened(folder).encode(text).ids) == len(text.encode())


def test_words_of_the_corpus_take_fewer_tokens_than_bytes(trained):
    text = prose("unseen")
    assert len(opened(trained[1]).encode(text).ids) < 0.75 * len(text)


def test_transformers_opens_it_and_agrees(preset):
    name, _, folder = preset
    found = AutoTokenizer.from_pretrained(folder)
    assert (found.eos_token_id, found.bos_token_id, found.pad_token_id) == (0, 0, 1)
    text = prose("unseen") + " naïve, 中文 \\alpha 12345"
    ids = opened(folder).encode(text).ids
    assert found(text)["input_ids"] == ids
    assert found.decode(ids) == (f" {text}" if name == "forge" else text)
    assert sorted(path.name for path in folder.iterdir()) == sorted(NAMES)


def test_a_sample_has_about_the_bytes_asked_for(tmp_path):
    documents = [(f"s:{i}", prose(i, sentences=1)) for i in range(800)]
    total = sum(len(text) for _, text in documents)
    tally, _ = run(tmp_path, [documents], sample={"bytes": total // 4})
    # A draw of 800 with chance 1/4: 4 sigma are 4 sqrt(3/16/800) = 6 % of the whole.
    assert abs(tally.counts["sampled_bytes"] / total - 0.25) < 0.062
    assert abs(tally.counts["sampled_documents"] / 800 - 0.25) < 0.062
    assert tally.bytes_read == tally.counts["sampled_bytes"]


def test_a_sample_larger_than_the_corpus_is_the_corpus(trained):
    tally, _ = trained
    assert tally.counts["sampled_documents"] == 40
    assert tally.counts["sampled_bytes"] == sum(len(text.encode()) for _, text in DOCUMENTS)
    assert tally.counts["held_out_documents"] == 0


def test_each_source_gets_the_same_part_where_that_is_asked(tmp_path):
    large = [(f"large:{i}", prose(f"l{i}", sentences=2)) for i in range(300)]
    small = [(f"small:{i}", prose(f"s{i}", sentences=2)) for i in range(100)]
    tiny = [("tiny:1", prose("t", sentences=2))]
    total = sum(len(text) for _, text in small)
    sample = {"bytes": total, "by": ["source", "language"]}
    tally, _ = run(tmp_path, [large[:200], small, large[200:], tiny], sample=sample)
    assert tally.counts["bytes of small, en"] == total
    assert tally.counts["bytes of large, en"] > 2 * total
    # Half of the small ones and as many of the large ones, 4 sigma of which are 20.
    assert abs(tally.counts["sampled_documents"] - 101) < 30
    everything, _ = run(tmp_path / "all", [large, small, tiny], sample=sample | {"bytes": 10**9})
    assert everything.counts["sampled_documents"] == 401


def test_another_seed_draws_other_documents(tmp_path):
    drawn = [
        run(tmp_path / str(seed), [DOCUMENTS], sample={"bytes": 5_000}, seed=seed)[1]
        for seed in (1, 2)
    ]
    assert files(drawn[0]) != files(drawn[1])


def test_a_partition_of_which_nothing_is_drawn_is_passed_over(tmp_path):
    layout = [[doc] for doc in DOCUMENTS]
    tally, _ = run(tmp_path, layout, sample={"bytes": 2_000})
    assert 0 < tally.counts["sampled_documents"] < len(layout)


def test_only_survivors_are_drawn(tmp_path):
    copies = [(f"copy:{i}", DOCUMENTS[0][1]) for i in range(10)]
    tally, _ = run(tmp_path, [copies, DOCUMENTS[1:5]])
    assert tally.counts["sampled_documents"] == 5


def test_a_word_without_end_is_left_out_and_told(tmp_path):
    sequence = "ACGT" * 500
    with_it = [(doc_id, f"{text} {sequence} {text}") for doc_id, text in DOCUMENTS[:5]]
    tally, folder = run(tmp_path, [with_it])
    assert tally.counts["science_too_long"] == 5
    assert "AC" not in opened(folder).get_vocab()


@pytest.mark.parametrize("settings", [{"sample": {"bytes": 1}}, {"diagnostics": {}, "seed": 26}])
def test_a_sample_without_a_document_is_refused(tmp_path, settings):
    with pytest.raises(RunError, match=r"no document was drawn .*sample\.bytes=1.* raise it, or"):
        run(tmp_path, [DOCUMENTS[:1]], **settings)


@pytest.mark.parametrize("partitions", [[[]], [[], []], [[("s:1", "")]]])
def test_a_corpus_without_text_is_refused(tmp_path, partitions):
    with pytest.raises(ConfigError, match="no text to train a tokenizer on: every document was"):
        run(tmp_path, partitions)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"vocabulary": 257}, r">= 258 - at `\$\.vocabulary`"),
        ({"preset": "own"}, r"Invalid enum value 'own' - at `\$\.preset`"),
        ({"sample": {"by": ["year"]}}, r"Invalid enum value 'year' - at `\$\.sample\.by"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(setting, told):
    with pytest.raises(msgspec.ValidationError, match=told):
        msgspec.convert(setting, TokenizerConfig)


def test_a_small_corpus_gives_a_smaller_vocabulary_than_asked_for(tmp_path):
    tally, folder = run(tmp_path, [[("s:1", "ab ab ab")]], vocabulary=52_000)
    assert tally.counts["science_vocabulary"] == opened(folder).get_vocab_size()
    assert 258 < tally.counts["science_vocabulary"] < 270


def test_a_golden_corpus_keeps_its_first_merges(trained):
    """Golden values. If this fails, merges are learnt otherwise: raise the stage's version."""
    model = json.loads((trained[1] / "tokenizer.json").read_bytes())["model"]
    merges = [" ".join(pair) for pair in model["merges"][:8]]
    assert merges == ["h e", "Ġ t", "Ġt he", "r e", "Ġ s", "e r", "Ġ c", "Ġ o"]
