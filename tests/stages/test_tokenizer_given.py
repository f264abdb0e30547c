"""What a tokenizer that is brought along must be, and what becomes of it."""

import json

import msgspec
import pytest
from corpora import prose
from tokenizers import Tokenizer, models
from transformers import AutoTokenizer

from corpusforge.errors import ConfigError
from corpusforge.stages import dedup, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.tokenizer import TokenizerConfig, evidence, wanted_ids
from corpusforge.stages.tokenizer_diagnostics import DIAGNOSTICS, read_diagnostics
from corpusforge.stages.tokenizer_files import TOKENIZER, end_of_text
from stages.folders import run_stage, write_clean

DOCUMENTS = [(f"s:{i}", prose(f"given {i}", sentences=4)) for i in range(40)]


def own(path, *specials):
    """A tokenizer of another kind: whole words, and these special tokens behind them."""
    made = Tokenizer(models.WordLevel({"the": 0, "?": 1}, unk_token="?"))
    made.add_special_tokens(list(specials))
    path.parent.mkdir(parents=True, exist_ok=True)
    made.save(str(path))
    return path


def config_of(**settings):
    return msgspec.convert({"diagnostics": None} | settings, TokenizerConfig)


def run(base, **settings):
    reads = {"clean": write_clean(base / "clean", [DOCUMENTS]), "dedup": base / "dedup"}
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], {"clean": reads["clean"]})
    tally = run_stage(tokenizer.STAGE, config_of(**settings), base / "tokenizer", reads, base)
    return tally, base / "tokenizer" / TOKENIZER


@pytest.mark.parametrize("given", ["own", "own/tokenizer.json"])
def test_it_is_taken_byte_for_byte_from_a_file_or_its_folder(tmp_path, given):
    file = own(tmp_path / "own" / "tokenizer.json", "<|endoftext|>")
    tally, folder = run(tmp_path, **{"from": given})
    assert (folder / "tokenizer.json").read_bytes() == file.read_bytes()
    assert end_of_text(folder / "tokenizer.json") == "<|endoftext|>"
    assert tally.counts == {"given_vocabulary": 3}  # no text was read for it
    assert AutoTokenizer.from_pretrained(folder).eos_token_id == 2


@pytest.mark.parametrize("settings", [{"eos_token": "</s>"}, {"eos_token": {"content": "</s>"}}])
def test_its_own_settings_name_the_end_of_a_text(tmp_path, settings):
    file = own(tmp_path / "tokenizer.json", "<pad>", "</s>", "<|endoftext|>")
    file.with_name("tokenizer_config.json").write_text(
        json.dumps(settings | {"pad_token": "<pad>"})
    )
    _, folder = run(tmp_path, **{"from": "."})
    assert end_of_text(folder / "tokenizer.json") == "</s>"
    assert AutoTokenizer.from_pretrained(folder).eos_token_id == 3
    assert AutoTokenizer.from_pretrained(folder).pad_token_id == 2
    _, folder = run(tmp_path, **{"from": ".", "end_of_text": "<|endoftext|>"})
    assert end_of_text(folder / "tokenizer.json") == "<|endoftext|>"


def test_its_other_special_tokens_keep_their_roles(tmp_path):
    file = own(tmp_path / "tokenizer.json", "<s>", "</s>")
    roles = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "?", "pad_token": "not there"}
    file.with_name("tokenizer_config.json").write_text(json.dumps(roles))
    _, folder = run(tmp_path, **{"from": "."})
    made = AutoTokenizer.from_pretrained(folder)
    assert (made.bos_token, made.eos_token, made.unk_token) == ("<s>", "</s>", "?")
    assert made.pad_token is None


def test_one_whose_ids_leave_a_gap_is_measured(tmp_path):
    run(tmp_path / "first", vocabulary=320, preset="gpt2")
    file = tmp_path / "first" / "tokenizer" / TOKENIZER / "tokenizer.json"
    settings = json.loads(file.read_bytes())
    vocabulary = settings["model"]["vocab"]
    vocabulary[max(vocabulary, key=vocabulary.get)] = 999
    (tmp_path / "gap.json").write_text(json.dumps(settings))
    run(tmp_path, diagnostics={"compare": False}, **{"from": "gap.json"})
    [found] = read_diagnostics(tmp_path / "tokenizer" / DIAGNOSTICS).vocabularies
    assert found.entries == 320
    assert 0 <= found.unused < 320
    assert wanted_ids(config_of(**{"from": "gap.json"}), tmp_path) == 1000


def test_it_is_measured_against_one_of_its_size(tmp_path):
    run(tmp_path / "first", vocabulary=320, preset="gpt2")
    _, _ = run(tmp_path, diagnostics={}, **{"from": f"first/tokenizer/{TOKENIZER}"})
    found = read_diagnostics(tmp_path / "tokenizer" / DIAGNOSTICS)
    assert [(v.tokenizer, v.entries) for v in found.vocabularies] == [("this", 320), ("gpt2", 320)]


def test_its_bytes_and_its_end_of_text_decide_the_output(tmp_path):
    own(tmp_path / "tokenizer.json", "<|endoftext|>", "</s>")
    before = evidence(config_of(**{"from": "tokenizer.json"}), tmp_path)
    assert evidence(config_of(**{"from": "."}), tmp_path) == before
    other_end = evidence(config_of(**{"from": ".", "end_of_text": "</s>"}), tmp_path)
    own(tmp_path / "tokenizer.json", "<|endoftext|>", "</s>", "more")
    assert before not in (other_end, evidence(config_of(**{"from": "."}), tmp_path))
    assert evidence(config_of(), tmp_path) == []


def test_one_that_is_not_there_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(ConfigError, match=r"tokenizer\.from: .*absent/?.* cannot be read: No such"):
        evidence(config_of(**{"from": "absent"}), tmp_path)


@pytest.mark.parametrize("content", ["{}", "no JSON", '{"model": 1}'])
def test_a_file_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ConfigError, match=r"tokenizer\.json is not what `tokenizers` reads \(.+\)"):
        evidence(config_of(**{"from": "tokenizer.json"}), tmp_path)


@pytest.mark.parametrize(("named", "missing"), [(None, "<|endoftext|>"), ("<end>", "<end>")])
def test_one_without_an_end_of_text_is_refused(tmp_path, named, missing):
    own(tmp_path / "tokenizer.json", "</s>")
    with pytest.raises(ConfigError, match=rf"has no token '{missing.replace('|', '.')}' to end a"):
        evidence(config_of(**{"from": "tokenizer.json", "end_of_text": named}), tmp_path)


def test_an_end_of_text_of_no_tokenizer_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"'</s>' names a token of tokenizer\.from, which is not"):
        evidence(config_of(end_of_text="</s>"), tmp_path)
