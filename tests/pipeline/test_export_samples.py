"""What exported samples promise: tokens and texts of the shards, each once, and their papers."""

import shutil
import sys
import tarfile
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from tokenizers import Tokenizer, models

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.megatron import open_shard
from corpusforge.pipeline.export_samples import export_samples, windows
from corpusforge.pipeline.takedown import takedown
from corpusforge.training.data import IGNORED, windows_of
from pipeline.shard_folders import DOCUMENTS, TRANSLATED, files_of, make_folder, rows_of

webdataset = pytest.importorskip("webdataset")
# The library's reader leaves it to the garbage collector to close its files.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
LARGE = 10_000_000
LENGTH = 64
TEXTS = dict([*DOCUMENTS, *TRANSLATED])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("samples"))[0]


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "shards")
    return tmp_path / "shards"


def read(into, split):
    """The samples of a split as the library reads them, in order."""
    tars = [str(path) for path in sorted(into.glob(f"{split}-*.tar"))]
    return list(webdataset.WebDataset(tars, shardshuffle=False).decode()) if tars else []


def test_the_library_reads_every_document_with_its_text_its_ids_and_its_paper(made, tmp_path):
    counts = export_samples(made, tmp_path / "out", LARGE)
    for split, rows in rows_of(made).items():
        samples = read(tmp_path / "out", split)
        assert counts[split] == (len(rows), 1)
        assert len({sample["__key__"] for sample in samples}) == len(rows)
        for sample, (row, tokens, place) in zip(samples, rows, strict=True):
            assert sample["txt"] == TEXTS[row["doc_id"]]
            assert sample["npy"].tolist() == tokens
            assert sample["npy"].dtype == np.uint16
            assert sample["json"] == {name: row[name] for name in sample["json"]}
            assert {"doc_id", "source", "licence", "year", "pass"} <= set(sample["json"])
            assert sample["__key__"].startswith(place["shard"])


def test_the_same_shards_give_the_same_bytes(made, tmp_path):
    for name in ("one", "two"):
        export_samples(made, tmp_path / name, LARGE)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    with tarfile.open(next((tmp_path / "one").glob("train-*.tar"))) as tar:
        members = tar.getmembers()
    assert {(m.mtime, m.uid, m.gid, m.uname, m.mode) for m in members} == {
        (0, 0, 0, "corpusforge", 0o644)
    }


def test_a_tar_is_no_larger_than_asked_for_and_nearly_as_large(made, tmp_path):
    export_samples(made, tmp_path / "whole", LARGE)
    counts = export_samples(made, tmp_path / "cut", 40_000)
    sizes = [path.stat().st_size for path in sorted((tmp_path / "cut").glob("train-*.tar"))]
    assert counts["train"][1] == len(sizes) > 3
    assert max(sizes) <= 40_000
    assert min(sizes[:-1]) > 20_000
    assert read(tmp_path / "cut", "train")[7]["txt"] == read(tmp_path / "whole", "train")[7]["txt"]
    assert len(read(tmp_path / "cut", "train")) == len(read(tmp_path / "whole", "train"))


def test_what_was_taken_down_is_in_no_sample(folder, tmp_path):
    takedown(folder, ["s:7", "s:3"])
    export_samples(folder, tmp_path / "out", LARGE)
    every = [s for split in ("train", "valid", "test") for s in read(tmp_path / "out", split)]
    assert {s["json"]["doc_id"] for s in every} == set(TEXTS) - {"s:7", "s:7#fr", "s:3"}
    assert TEXTS["s:7"] not in {sample["txt"] for sample in every}


def test_windows_are_those_of_training_and_name_the_papers_in_them(made, tmp_path):
    counts = export_samples(made, tmp_path / "out", LARGE, window=LENGTH)
    for split in ("train", "valid", "test"):
        samples = iter(read(tmp_path / "out", split))
        for index in sorted((made / split).glob("*.idx")):
            prefix = index.with_suffix("")
            cut, owners = windows_of([prefix], LENGTH), owners_of(made, split, prefix.name)
            batch = cut.batch(np.arange(len(cut)))
            for inputs, targets in zip(batch.inputs, batch.targets, strict=True):
                sample = next(samples)
                repeated, start = sample["json"]["repeated"], sample["json"]["start"]
                assert sample["npy"][:-1].tolist() == inputs.tolist()
                assert sample["npy"][1 + repeated :].tolist() == targets[repeated:].tolist()
                assert (targets == IGNORED).sum() == repeated
                assert sample["json"]["shard"] == prefix.name
                held = owners[start : start + LENGTH + 1]
                changes = [0, *(i for i, (a, b) in enumerate(pairwise(held), 1) if a != b)]
                told = [(d["at"], d["doc_id"]) for d in sample["json"]["documents"]]
                assert told == [(i, held[i]) for i in changes]
        assert next(samples, None) is None
    assert sum(count for count, _ in counts.values()) > 50


def owners_of(folder, split, shard):
    """The paper of every token of a shard."""
    rows = [(row, ids) for row, ids, place in rows_of(folder)[split] if place["shard"] == shard]
    return [row["doc_id"] for row, ids in rows for _ in ids]


def test_windows_that_reach_over_batches_of_provenance_are_whole(made, monkeypatch):
    prefix = sorted((made / "train").glob("*.idx"))[0].with_suffix("")
    expected = list(windows(prefix, 300))
    monkeypatch.setattr("corpusforge.formats.partition.ROW_GROUP", 2)
    assert list(windows(prefix, 300)) == expected
    assert max(len(msgspec.json.decode(s.parts["json"])["documents"]) for s in expected) > 2


def test_a_shard_that_is_shorter_than_a_window_is_refused(made, tmp_path):
    with pytest.raises(ConfigError, match="fewer than the 1,000,001"):
        export_samples(made, tmp_path / "out", LARGE, window=1_000_000)
    assert not (tmp_path / "out").exists()


def test_tokens_that_are_not_the_text_any_more_are_not_exported(folder, tmp_path):
    path = folder / "train" / "train-00000.bin"
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    first = rows_of(folder)["train"][0][0]["doc_id"]
    with pytest.raises(FormatError, match=f"train-00000: the ids of {first} do not decode"):
        export_samples(folder, tmp_path / "out", LARGE)
    assert not (tmp_path / "out").exists()


def test_ids_whose_tokenizer_cannot_give_texts_go_as_windows_only(folder, tmp_path):
    words = models.WordLevel({"word": 0, "[UNK]": 1}, unk_token="[UNK]")
    Tokenizer(words).save(str(folder / "tokenizer.json"))
    with pytest.raises(ConfigError, match="is not a byte-level tokenizer"):
        export_samples(folder, tmp_path / "out", LARGE)
    counts = export_samples(folder, tmp_path / "out", LARGE, window=LENGTH)
    shard = open_shard(folder / "train" / "train-00000")
    assert counts["train"][0] >= shard.tokens.size // LENGTH


def test_without_the_library_the_message_says_how_to_get_it(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "webdataset", None)
    with pytest.raises(ConfigError, match=r"pip install 'corpusforge\[export\]'"):
        export_samples(made, tmp_path / "out", LARGE)
