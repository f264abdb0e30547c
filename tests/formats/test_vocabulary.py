"""Which tokenizers the kernel covers, and what is said of the others."""

import json
from copy import deepcopy

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from corpusforge.errors import ConfigError
from corpusforge.formats.vocabulary import Uncovered, open_tokenizer, read_vocabulary
from corpusforge.kernels.bpe_merges import MOST_IDS
from corpusforge.kernels.pretokens import REGEX, Pattern

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
VOCABULARY = {letter: i for i, letter in enumerate(["<|end|>", *ALPHABET, "th", "the"])}
MERGES = [("t", "h"), ("th", "e")]
SPLIT = {"type": "Split", "pattern": {"Regex": REGEX[Pattern.SCIENCE]}, "behavior": "Isolated"}
SPLIT["invert"] = False
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def small():
    tokenizer = Tokenizer(models.BPE(VOCABULARY, MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["<|end|>"])
    return json.loads(tokenizer.to_str())


def changed(path, value):
    settings = small()
    *folders, name = path
    place = settings
    for folder in folders:
        place = place[folder]
    place[name] = value
    return settings


def read(settings):
    return read_vocabulary(Tokenizer.from_str(json.dumps(settings)))


def test_the_arrays_say_what_the_file_says():
    vocabulary = read(small())
    assert vocabulary.byte_ids[ord("t")] == VOCABULARY["t"]
    assert vocabulary.byte_ids[ord(" ")] == VOCABULARY["Ġ"]
    assert len(set(vocabulary.byte_ids.tolist())) == 256
    ids = [VOCABULARY[token] for token in ("t", "h", "th")]
    assert vocabulary.merges.tolist() == [ids, [ids[2], VOCABULARY["e"], VOCABULARY["the"]]]
    assert (vocabulary.pattern, vocabulary.add_prefix_space) == (Pattern.GPT2, False)


@pytest.mark.parametrize("pattern", Pattern)
def test_a_pattern_is_known_as_an_expression_too(pattern):
    split = SPLIT | {"pattern": {"Regex": REGEX[pattern]}}
    steps = {"type": "Sequence", "pretokenizers": [split, BYTES]}
    assert read(changed(["pre_tokenizer"], steps)).pattern == pattern


def test_a_byte_tokenizer_needs_no_pattern():
    settings = changed(["pre_tokenizer"], BYTES)
    settings["model"]["merges"] = []
    assert read(settings).merges.shape == (0, 3)


UNCOVERED = {
    "its model has dropout 0.1": (["model", "dropout"], 0.1),
    "its model has byte_fallback True": (["model", "byte_fallback"], True),
    "its model has ignore_merges True": (["model", "ignore_merges"], True),
    "its model has end_of_word_suffix '</w>'": (["model", "end_of_word_suffix"], "</w>"),
    "its pre-tokenizer is none of those": (["pre_tokenizer"], None),
    "its pre-tokenizer is none": (["pre_tokenizer"], {"type": "Whitespace"}),
    "its pre-tokenizer is": (["pre_tokenizer"], BYTES),  # with merges, a text is one word
    "its pre-tokenizer": (
        ["pre_tokenizer"],
        {"type": "Sequence", "pretokenizers": [SPLIT, BYTES | {"add_prefix_space": True}]},
    ),
}


@pytest.mark.parametrize(("said", "change"), UNCOVERED.items())
def test_what_the_kernel_cannot_do_is_named(said, change):
    with pytest.raises(Uncovered, match=said):
        read(changed(*change))


def test_another_model_is_named():
    tokenizer = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    with pytest.raises(Uncovered, match="its model is WordLevel, not BPE"):
        read_vocabulary(tokenizer)


def test_added_tokens_that_are_text_are_named():
    tokenizer = Tokenizer.from_str(json.dumps(small()))
    tokenizer.add_tokens(["naïve"])
    with pytest.raises(Uncovered, match="it looks for the added token 'naïve' in texts"):
        read_vocabulary(tokenizer)


def test_a_byte_without_a_token_is_named():
    settings = small()
    del settings["model"]["vocab"]["A"]
    with pytest.raises(Uncovered, match="it has no token for the byte 0x41"):
        read(settings)


def test_a_pair_that_is_merged_twice_has_one_rank():
    settings = small()
    settings["model"]["merges"].append(["t", "h"])
    assert len(read(settings).merges) == 2


def test_ids_beyond_what_a_slot_holds_are_named():
    settings = small()
    settings["model"]["vocab"]["the"] = MOST_IDS
    with pytest.raises(Uncovered, match=f"more than {MOST_IDS:,} tokens"):
        read(settings)


def test_special_tokens_in_a_text_are_text_and_nothing_is_cut_or_padded(tmp_path):
    tokenizer = Tokenizer.from_str(json.dumps(deepcopy(small())))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=50)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    opened = open_tokenizer(tmp_path / "tokenizer.json")
    assert opened.encode("<|end|> the").tokens == [*"<|end|>", "Ġ", "the"]


def test_a_file_that_is_none_is_named(tmp_path):
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ConfigError, match=r"tokenizer.json does not exist: expected a tokenizer"):
        open_tokenizer(path)
    path.write_text("{}")
    with pytest.raises(ConfigError, match=r"tokenizer.json is not a tokenizer: .*; save it with"):
        open_tokenizer(path)
