"""A wrong word is told with the words that the setting may be."""

import pytest

from corpusforge.errors import ConfigError
from corpusforge.pipeline.config import load_pipeline

SOURCES = "extract: {sources: {p: {kind: pubmed, folder: ., files: p.xml}}}"


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("train: {preset: nope}", "demo, forge-l, forge-m, forge-s, mlstm-4096"),
        ("train: {preset: demo, execution: {parallel: zero}}", "ddp, fsdp"),
        ("clean: {text: {tables: perhaps}}", "drop, keep"),
        ("shards: {split: thirds}", "forge, puri"),
        ("dedup: {keep: [longer, biggest]}", "full_text"),
    ],
)
def test_a_wrong_word_is_told_with_the_words_it_may_be(tmp_path, stage, words):
    path = tmp_path / "pipeline.yaml"
    path.write_text(f"output: work\nstages:\n  {SOURCES}\n  {stage}\n")
    with pytest.raises(ConfigError, match=f"; it may be .*{words}"):
        load_pipeline(path)


def test_what_is_wrong_in_another_way_is_told_as_it_is(tmp_path):
    path = tmp_path / "pipeline.yaml"
    path.write_text(f"output: work\nstages:\n  {SOURCES}\n  shards: {{seed: one}}\n")
    with pytest.raises(ConfigError, match="Expected `int`, got `str`") as told:
        load_pipeline(path)
    assert "it may be" not in str(told.value)
