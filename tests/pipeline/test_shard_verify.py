"""What verify promises: it finds nothing wrong with good shards, and each damage by its name."""

import shutil
from collections import Counter

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec import structs
from stages.folders import run_stage, write_clean

from corpusforge.errors import ConfigError
from corpusforge.formats.file_digest import file_record
from corpusforge.formats.megatron import data_path, open_shard, write_shard
from corpusforge.formats.partition import write_partition
from corpusforge.formats.shard_folder import (
    read_description,
    record_files,
    split_record,
    with_splits,
    write_description,
)
from corpusforge.pipeline.shard_verify import SAMPLE, verify
from corpusforge.pipeline.takedown import PENDING
from corpusforge.stages import dedup, shards, tokenizer
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.tokenizer import TokenizerConfig
from corpusforge.tables.schemas import PROVENANCE
from pipeline.shard_folders import DOCUMENTS, TRANSLATED, make_folder


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder, _ = make_folder(tmp_path_factory.mktemp("verified"))
    return folder


@pytest.fixture
def folder(good, tmp_path):
    """A copy to damage."""
    shutil.copytree(good, tmp_path / "shards")
    return tmp_path / "shards"


def checked(folder, everything=True):
    """What was looked at in all, and what is wrong."""
    verdicts = list(verify(folder, everything))
    counts = sum((verdict.checked for verdict in verdicts), Counter())
    return counts, [fault for verdict in verdicts for fault in verdict.faults]


def redescribe(folder):
    """Let shards.json promise what now lies there, as an attacker or a wrong program would."""
    before = read_description(folder)
    splits = {
        split: split_record(
            structs.replace(shard, files=record_files(folder / split / shard.name))
            for shard in record.shards
        )
        for split, record in before.splits.items()
    }
    write_description(folder, with_splits(before, splits))


def test_good_shards_have_no_faults_and_all_of_them_is_looked_at(good):
    counts, faults = checked(good)
    documents = len(DOCUMENTS) + len(TRANSLATED)
    assert faults == []
    assert counts["texts"] == counts["documents"] == counts["rows of provenance"] == documents
    assert counts["files"] == 3 * counts["shards"] > 9
    assert counts["tokens"] == sum(s.tokens for s in read_description(good).splits.values())


def test_of_a_large_shard_a_sample_of_texts_is_compared(tmp_path):
    folder, _ = make_folder(tmp_path, [(f"s:{i}", f"text {i}") for i in range(4 * SAMPLE)])
    counts, faults = checked(folder, everything=False)
    assert faults == []
    assert 0 < counts["texts"] < counts["documents"] == 4 * SAMPLE


@pytest.mark.parametrize("suffix", [".bin", ".idx", ".parquet"])
def test_a_changed_byte_in_any_file_is_found(folder, suffix):
    path = folder / "train" / f"train-00001{suffix}"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))
    assert any(f"{path} has" in fault and "SHA-256" in fault for fault in checked(folder)[1])


@pytest.mark.parametrize("suffix", [".bin", ".idx", ".parquet"])
def test_a_missing_file_is_named(folder, suffix):
    path = folder / "train" / f"train-00001{suffix}"
    path.unlink()
    assert f"{path} is missing; copy it again, or make the shards again" in checked(folder)[1]


def change_tokens(folder, change):
    """The first shard of train with other ids, described as if that were right."""
    prefix = folder / "train" / "train-00000"
    shard = open_shard(prefix)
    documents = [shard.document(i).astype(np.int64) for i in range(len(shard))]
    change(documents)
    write_shard(prefix, documents, 65536)
    redescribe(folder)


def test_an_end_of_document_that_is_another_token_is_found(folder):
    def change(documents):
        documents[3][-1] = 5

    change_tokens(folder, change)
    _, faults = checked(folder)
    assert any("document 3 ends with id 5, expected 0" in fault for fault in faults)


def test_an_end_of_document_in_the_middle_is_found(folder):
    def change(documents):
        documents[3][1] = 0

    change_tokens(folder, change)
    documents = read_description(folder).splits["train"].shards[0].documents
    _, faults = checked(folder)
    assert any(f"{documents + 1} ends of document in {documents} d" in fault for fault in faults)


def test_an_id_outside_the_vocabulary_is_found(folder):
    def change(documents):
        documents[2][0] = 300

    change_tokens(folder, change)
    assert any("an id is 300, outside the vocabulary of 300" in f for f in checked(folder)[1])


def test_a_document_whose_ids_are_another_text_is_found(folder):
    def change(documents):
        documents[2][0] = 77 if documents[2][0] != 77 else 78

    change_tokens(folder, change)
    row = pq.read_table(folder / "train" / "train-00000.parquet")["doc_id"][2]
    assert any(f"the ids of {row} do not decode to the text" in f for f in checked(folder)[1])


def change_provenance(folder, change):
    path = folder / "train" / "train-00000.parquet"
    rows = pq.read_table(path).to_pylist()
    change(rows)
    write_partition(path, pa.Table.from_pylist(rows, PROVENANCE))
    redescribe(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1].update(start=3), "puts documents elsewhere than"),
        (lambda rows: rows[1].update(uid=3), "has not its own uid"),
        (
            lambda rows: rows[1].update(licence="MIT"),
            "does not have the documents that shards",
        ),
        (lambda rows: rows.pop(), "does not have the documents that shards.json counts"),
    ],
)
def test_provenance_of_other_documents_is_found(folder, change, message):
    change_provenance(folder, change)
    assert any(message in fault for fault in checked(folder)[1])


def test_another_tokenizer_is_found(folder):
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace("\n", "\n\n", 1))
    assert any(f"{path} is {file_record(path).sha256}, expected" in f for f in checked(folder)[1])


def test_a_folder_without_its_tokenizer_is_looked_at_but_for_the_texts(folder):
    (folder / "tokenizer.json").unlink()
    counts, faults = checked(folder)
    assert [fault for fault in faults if "tokenizer.json is missing" in fault]
    assert counts["texts"] == 0 < counts["documents"]
    notes = [note for verdict in verify(folder) for note in verdict.notes]
    assert any("texts are not compared" in note for note in notes)


def test_counts_and_a_revision_that_are_not_those_of_the_shards_are_found(folder):
    path = folder / "shards.json"
    before = read_description(folder)
    tokens = before.splits["valid"].tokens
    path.write_text(
        path.read_text()
        .replace(f'"tokens": {tokens},', f'"tokens": {tokens + 1},', 1)
        .replace(before.revision, "0" * 16)
    )
    _, faults = checked(folder)
    assert any("the counts of valid are not those of its shards" in fault for fault in faults)
    assert any(f"revision {'0' * 16}, but its files make {before.revision}" in f for f in faults)


def test_a_takedown_that_was_cut_short_is_told_of(folder):
    (folder / PENDING).mkdir()
    _, faults = checked(folder)
    assert any("a takedown was cut short; give the same command again" in f for f in faults)


def test_a_bin_that_is_cut_short_is_a_fault_and_not_a_crash(folder):
    path = data_path(folder / "train" / "train-00000")
    path.write_bytes(path.read_bytes()[:-2])
    assert any("but its index promises" in fault for fault in checked(folder)[1])


def test_a_folder_of_no_shards_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"shards.json cannot be read"):
        list(verify(tmp_path))


@pytest.mark.parametrize("preset", ["forge", "gpt2", "science", "bytes"])
def test_texts_are_compared_as_the_tokenizer_normalizes_and_prefixes_them(tmp_path, preset):
    documents = [("s:1", "ﬁne ﬂow ① naïve"), ("s:2", " blank first"), ("s:3", "Σ 中文 x²")]
    reads = {name: tmp_path / name for name in ("clean", "dedup", "tokenizer")}
    write_clean(reads["clean"], [documents])
    run_stage(dedup.STAGE, DedupConfig(), reads["dedup"], reads)
    vocabulary = {} if preset == "bytes" else {"vocabulary": 280}
    config = msgspec.convert({"preset": preset, "diagnostics": None, **vocabulary}, TokenizerConfig)
    run_stage(tokenizer.STAGE, config, reads["tokenizer"], reads)
    run_stage(shards.STAGE, ShardsConfig(split=(1, 0, 0)), tmp_path / "out", reads)
    counts, faults = checked(tmp_path / "out")
    assert (faults, counts["texts"]) == ([], 3)
