"""What merge and split promise: the same documents in the same order, and their provenance."""

import shutil

import pytest
from corpora import prose
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from stages.folders import run_stage

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.shard_folder import read_description, write_description
from corpusforge.pipeline import recut as module
from corpusforge.pipeline.recut import merge, recut
from corpusforge.pipeline.shard_verify import verify
from corpusforge.pipeline.takedown import PENDING
from corpusforge.stages import shards
from corpusforge.stages.stage import SCRATCH
from corpusforge.stages.tokenizer import TOKENIZER
from pipeline.shard_folders import CONFIG, contents, files_of, make_folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, _ = make_folder(tmp_path_factory.mktemp("recut"))
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory, made):
    """Other documents, made with the same tokenizer."""
    base = tmp_path_factory.mktemp("other")
    documents = [(f"o:{i}", prose(f"other {i}", sentences=2)) for i in range(20)]
    _, reads = make_folder(base, documents)
    tokenizer = base / "tokenizer again" / TOKENIZER / "tokenizer.json"
    tokenizer.parent.mkdir(parents=True)
    shutil.copy(made / "tokenizer.json", tokenizer)
    reads = reads | {"tokenizer": base / "tokenizer again"}
    run_stage(shards.STAGE, CONFIG, base / "again", reads)
    shutil.rmtree(base / "again" / SCRATCH)
    return base / "again"


def good(folder):
    return not [fault for verdict in verify(folder, everything=True) for fault in verdict.faults]


@given(limit=st.integers(1, 20_000))
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_split_keeps_documents_order_provenance_and_the_limit(made, limit, tmp_path_factory):
    into = tmp_path_factory.mktemp("split") / "into"
    described = recut(made, into, max(limit, 100))
    assert contents(into) == contents(made)
    for record in described.splits.values():
        for shard in record.shards:
            assert shard.tokens <= max(limit, 100) or shard.documents == 1
    assert good(into)


def test_split_and_joined_again_is_the_same_corpus_whatever_the_way(made, tmp_path):
    recut(made, tmp_path / "small", 300)
    recut(tmp_path / "small", tmp_path / "joined", 10**9)
    recut(made, tmp_path / "direct", 10**9)
    assert files_of(tmp_path / "joined") == files_of(tmp_path / "direct")
    train = read_description(tmp_path / "joined").splits["train"]
    assert [shard.name for shard in train.shards] == ["train-00000"]


def test_merge_puts_the_shards_of_one_folder_after_those_of_another(made, other, tmp_path):
    described = merge([made, other], tmp_path / "into")
    first, second, both = contents(made), contents(other), contents(tmp_path / "into")
    assert both == {split: first[split] + second[split] for split in first}
    for split, record in described.splits.items():
        assert [s.name for s in record.shards] == [
            f"{split}-{i:05d}" for i in range(len(record.shards))
        ]
    names = (read_description(folder).fingerprint for folder in (made, other))
    assert described.fingerprint == "+".join(names)
    assert described.splits["train"].tokens == sum(
        read_description(folder).splits["train"].tokens for folder in (made, other)
    )
    assert good(tmp_path / "into")


def test_merge_of_folders_made_with_different_tokenizers_is_refused(made, tmp_path):
    changed, _ = make_folder(tmp_path, [("t:1", "something else"), ("t:2", "entirely")])
    with pytest.raises(ConfigError, match=r"was made with another tokenizer than .*Make its"):
        merge([made, changed], tmp_path / "into")
    assert not (tmp_path / "into").exists()


@pytest.mark.parametrize("together", [1, 1 << 24])
def test_merge_of_folders_that_share_a_document_is_refused(made, tmp_path, monkeypatch, together):
    monkeypatch.setattr(module, "UIDS", together * 20)
    shutil.copytree(made, tmp_path / "copy")
    message = f"{made} and {tmp_path / 'copy'} both have the document s:[0-9]+; take it out of"
    with pytest.raises(ConfigError, match=message):
        merge([made, tmp_path / "copy"], tmp_path / "into")


def test_damage_is_not_written_into_other_shards(made, tmp_path):
    shutil.copytree(made, tmp_path / "copy")
    path = min((tmp_path / "copy").glob("train/*.bin"))
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    for write in (
        lambda into: recut(path.parents[1], into, 100),
        lambda into: merge([path.parents[1]], into),
    ):
        with pytest.raises(FormatError, match=rf"{path} has .* expected .*; copy it again"):
            write(tmp_path / "into")
        assert not (tmp_path / "into").exists()


@pytest.mark.parametrize(
    "write", [lambda f, into: recut(f, into, 100), lambda f, into: merge([f], into)]
)
def test_a_folder_with_a_takedown_that_was_cut_short_is_refused(made, tmp_path, write):
    shutil.copytree(made, tmp_path / "copy")
    (tmp_path / "copy" / PENDING).mkdir()
    with pytest.raises(ConfigError, match=f"{PENDING} is there: a takedown was cut short"):
        write(tmp_path / "copy", tmp_path / "into")


def test_a_folder_that_holds_something_is_not_written_into(made, tmp_path):
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty; give a folder that is, or a new one"):
        recut(made, tmp_path, 100)


def test_what_folders_do_not_have_in_common_is_told_of_both(made, other, tmp_path):
    before = read_description(other)
    shutil.copytree(other, tmp_path / "other")
    rule = {"by": "year", "valid": 2020, "test": 2022}
    write_description(tmp_path / "other", structs.replace(before, split=rule))
    described = merge([made, tmp_path / "other"], tmp_path / "into")
    assert described.split == {"merged": [read_description(made).split, rule]}
