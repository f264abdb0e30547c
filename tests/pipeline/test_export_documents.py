"""What exported texts promise: each document of the shards once, in its split, as cleaned."""

import shutil
from collections import Counter

import pyarrow.parquet as pq
import pytest
from corpora import finish, write_corpus

from corpusforge.errors import ContractError
from corpusforge.formats.partition import read_columns, write_partition
from corpusforge.pipeline import export_documents as module
from corpusforge.pipeline.export_documents import EXPORTED, export_documents
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.takedown import takedown
from corpusforge.tables.schemas import DOCUMENTS, REJECTS
from pipeline.shard_folders import files_of, rows_of

LARGE = 10_000_000
MIXTURE = {"by": "source", "parts": {"pubmed": {"epochs": 1.5}, "pmc": {"epochs": 0}}}
NAMES = {"train": "train", "valid": "validation", "test": "test"}


def make(base, **shards):
    path = write_corpus(base, documents=40, stages={"shards": shards})
    finish(path)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("texts"))


@pytest.fixture
def copied(made, tmp_path):
    """A pipeline whose folders may be changed."""
    shutil.copytree(made.parent, tmp_path / "copied")
    return open_plan(tmp_path / "copied" / made.name)


def exported(into):
    """The rows of every split, in order, by the files' own names."""
    return {
        split: [
            row
            for path in sorted(into.glob(f"{split}-*.parquet"))
            for row in pq.read_table(path).to_pylist()
        ]
        for split in NAMES
    }


def in_shards(plan):
    """The doc_ids of each split, each once."""
    rows = rows_of(plan.step("shards").folder)
    return {split: {row["doc_id"] for row, _, _ in found} for split, found in rows.items()}


def test_every_document_is_there_once_in_its_split_with_its_clean_text(made, tmp_path):
    plan = open_plan(made)
    counts = export_documents(plan, tmp_path / "out", LARGE)
    found, clean = exported(tmp_path / "out"), plan.step("clean").folder
    texts = {
        row["doc_id"]: row
        for path in sorted(clean.glob("table/*.parquet"))
        for row in pq.read_table(path, schema=DOCUMENTS).to_pylist()
    }
    for split, doc_ids in in_shards(plan).items():
        assert Counter(row["doc_id"] for row in found[split]) == Counter(doc_ids)
        assert counts[split] == (len(doc_ids), min(1, len(doc_ids)))
        assert {row["split"] for row in found[split]} <= {split}
        for row in found[split]:
            own = texts[row["doc_id"]]
            assert row["text"] == own["text"]
            assert [row[n] for n in ("source", "year", "licence", "language")] == [
                own[n] for n in ("source", "year", "licence", "language")
            ]
    assert {row["licence"] for rows in found.values() for row in rows} == {None, "CC-BY-4.0"}


def test_files_are_named_by_split_and_number_and_keep_the_limit(made, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROW_GROUP", 3)
    plan = open_plan(made)
    whole = export_documents(plan, tmp_path / "whole", LARGE)
    counts = export_documents(plan, tmp_path / "cut", 6_000)
    paths = sorted((tmp_path / "cut").glob("train-*.parquet"))
    total = counts["train"][1]
    assert [path.name for path in paths] == [
        f"train-{i:05d}-of-{total:05d}.parquet" for i in range(total)
    ]
    assert total > 3
    for path in paths:
        file = pq.ParquetFile(path)
        assert file.schema_arrow.equals(EXPORTED)
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        assert 1 <= min(groups) <= max(groups) <= 3
        sizes = [len(text.encode()) for text in file.read()["text"].to_pylist()]
        assert sum(sizes) <= 6_000 or len(sizes) == 1
    assert exported(tmp_path / "cut") == exported(tmp_path / "whole")
    assert counts["train"][0] == whole["train"][0]


def test_the_same_corpus_gives_the_same_bytes(made, tmp_path):
    for name in ("one", "two"):
        export_documents(open_plan(made), tmp_path / name, LARGE)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_what_was_taken_down_is_not_there(copied, tmp_path):
    takedown(copied.step("shards").folder, ["pubmed:7", "pubmed:8"])
    export_documents(copied, tmp_path / "out", LARGE)
    rows = [row for found in exported(tmp_path / "out").values() for row in found]
    assert {row["doc_id"] for row in rows} == set().union(*in_shards(copied).values())
    assert not {"pubmed:7", "pubmed:8"} & {row["doc_id"] for row in rows}


def test_a_mixture_decides_which_documents_there_are_and_not_how_often(tmp_path):
    plan = open_plan(make(tmp_path, mixture=MIXTURE))
    repeated = [row for row, _, _ in rows_of(plan.step("shards").folder)["train"] if row["pass"]]
    assert repeated
    export_documents(plan, tmp_path / "out", LARGE)
    found = exported(tmp_path / "out")
    for split, doc_ids in in_shards(plan).items():
        assert Counter(row["doc_id"] for row in found[split]) == Counter(doc_ids)
    assert "pmc" not in {row["source"] for row in found["train"]}


def test_texts_that_are_not_those_of_the_shards_are_not_exported(copied, tmp_path):
    folder = copied.step("shards").folder
    path = next(p for p in sorted(folder.glob("rejects/*.parquet")))
    clean = copied.step("clean").folder / "table" / path.name
    left_out = read_columns(clean, ["doc_id"])["doc_id"].to_pylist()[:1]
    row = dict.fromkeys(REJECTS.names) | {"doc_id": left_out[0]}
    write_partition(path, REJECTS.empty_table().from_pylist([row], schema=REJECTS))
    with pytest.raises(ContractError, match=r"the texts of \w+ are \d+, but the shards in"):
        export_documents(copied, tmp_path / "out", LARGE)
    assert not (tmp_path / "out").exists()


def test_the_page_beside_them_counts_documents_by_split_and_licence(made, tmp_path):
    plan = open_plan(made)
    export_documents(plan, tmp_path / "out", LARGE)
    page, found = (tmp_path / "out" / "README.md").read_text(), exported(tmp_path / "out")
    for split, rows in found.items():
        size = sum(len(row["text"].encode()) for row in rows)
        assert f"| {split} | {len(rows):,} | {size:,} |" in page
        assert (f'path: "{split}-*.parquet"' in page) == bool(rows)
    every = Counter((r["licence"], r["source"]) for rows in found.values() for r in rows)
    for (licence, source), count in every.items():
        assert f"| {licence or 'not stated'} | {source} | {count:,} |" in page
    assert f"| text | {EXPORTED.field('text').type} |" in page


def test_datasets_finds_the_splits(made, tmp_path):
    datasets = pytest.importorskip("datasets")
    export_documents(open_plan(made), tmp_path / "out", LARGE)
    loaded = datasets.load_dataset(
        "parquet", data_dir=str(tmp_path / "out"), cache_dir=str(tmp_path / "cache")
    )
    for split, rows in exported(tmp_path / "out").items():
        if rows:
            assert loaded[NAMES[split]]["text"][:] == [row["text"] for row in rows]
