"""What shards.json promises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ConfigError
from corpusforge.formats.file_digest import FileRecord
from corpusforge.formats.shard_folder import (
    Description,
    Group,
    ShardRecord,
    added,
    read_description,
    revision_of,
    split_record,
    with_splits,
    write_description,
)

groups = st.lists(
    st.builds(
        Group,
        st.sampled_from("ab"),
        st.sampled_from([None, "", "CC-BY"]),
        *[st.integers(0, 2**40)] * 3,
    ),
    max_size=9,
)


def shard(name, digest="0"):
    files = {suffix: FileRecord(10, digest + suffix) for suffix in (".bin", ".idx", ".parquet")}
    return ShardRecord(name, 2, 30, [Group("a", None, 2, 30, 90)], files)


def described(**changes):
    splits = {"train": split_record([shard("train-00000"), shard("train-00001")])}
    plain = {
        **{"fingerprint": "shards-1", "revision": revision_of(splits, "t", 300, 0)},
        **{"dtype": "uint16", "vocab_size": 300, "eod_id": 0, "tokenizer_sha256": "t"},
        **{"split": {}, "seed": 1, "made_by": {"clean": "c"}, "splits": splits},
    }
    return Description(**(plain | changes))


@given(groups, st.randoms())
def test_groups_add_up_whatever_their_order(found, random):
    summed = added(found)
    assert summed == added(random.sample(found, len(found)))
    assert len({(g.source, g.licence) for g in summed}) == len(summed)
    for field in ("documents", "tokens", "text_bytes"):
        assert sum(getattr(g, field) for g in summed) == sum(getattr(g, field) for g in found)
    assert added(summed) == summed


def test_a_split_is_the_sum_of_its_shards():
    train = described().splits["train"]
    assert (train.documents, train.tokens, train.text_bytes) == (4, 60, 180)
    assert train.groups == [Group("a", None, 4, 60, 180)]


def test_a_description_comes_back_as_it_was(tmp_path):
    write_description(tmp_path, described(mixture={"by": "source"}, fallback="why"))
    assert read_description(tmp_path) == described(mixture={"by": "source"}, fallback="why")


def test_the_revision_changes_with_tokens_and_their_meaning_and_with_nothing_else():
    before = described()
    moved = described(fingerprint="shards-2", made_by={}, seed=9)
    assert with_splits(moved, moved.splits).revision == before.revision
    others = [
        with_splits(before, {"train": split_record([shard("train-00000"), shard("x", "1")])}),
        with_splits(before, {"valid": before.splits["train"]}),
        with_splits(described(tokenizer_sha256="u"), before.splits),
        with_splits(described(eod_id=1), before.splits),
        with_splits(described(vocab_size=301), before.splits),
    ]
    assert len({before.revision, *(other.revision for other in others)}) == 6


def test_a_folder_without_a_description_is_refused(tmp_path):
    with pytest.raises(
        ConfigError, match=r"cannot be read: No such file.* `corpusforge run PIPELINE`"
    ):
        read_description(tmp_path)


def test_a_description_that_says_too_little_is_refused(tmp_path):
    (tmp_path / "shards.json").write_text(json.dumps({"fingerprint": "x"}))
    with pytest.raises(ConfigError, match=r"missing required field `revision`.* make the shards"):
        read_description(tmp_path)
