"""Copies that only identifiers, titles or containment give away, and which copy stays."""

import numpy as np
import pyarrow as pa
import pytest
from corpora import prose

from corpusforge.formats.partition import write_partition
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.dedup_pairs import MOST_SHARING
from corpusforge.stages.dedup_sign import VERSIONS_OF_YEAR, openness, version_of
from corpusforge.stages.stage import TABLE
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS
from stages.folders import rejects_of, run_stage, table_of

TITLE = "On the growth of mice in cold water"
ABSTRACT = prose("abstract of a work", sentences=6)
REWRITTEN = " ".join([*ABSTRACT.split()[:30], *prose("rewritten", sentences=4).split()])
BODY = "\n\n## Methods\n\n" + prose("body of a work", sentences=60)


def document(doc_id, text=ABSTRACT, **told):
    """A row of documents; what is not told is unknown."""
    given = {
        "uid": uid_of(doc_id),
        "doc_id": doc_id,
        "source": doc_id.split(":")[0],
        "title": "",
        "text": text,
        "content": "full_text" if "## " in text else "abstract",
        "version_kind": "unknown",
        "language": "en",
        "language_probability": np.float32(1),
        "retracted": False,
    }
    return given | told


def deduplicated(folder, *documents, **settings):
    """doc_ids of the survivors, and of each removed document what it went for and why."""
    half = (len(documents) + 1) // 2
    for i, part in enumerate((documents[:half], documents[half:])):
        columns = [pa.array([row.get(f.name) for row in part], f.type) for f in DOCUMENTS]
        table = pa.Table.from_arrays(columns, schema=DOCUMENTS)
        write_partition(folder / "clean" / TABLE / f"part-0000{i}.parquet", table)
    out = folder / "dedup"
    run_stage(dedup.STAGE, DedupConfig(**settings), out, {"clean": folder / "clean"})
    removed = {row["doc_id"]: (row["detail"], row["reason"]) for row in rejects_of(out)}
    return {row["doc_id"]: row for row in table_of(out)}, removed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"doi": "10.1000/mice"}, {"doi": "10.1000/mice"}),
        ({"arxiv": "1702.01819"}, {"doi": "10.48550/arxiv.1702.01819"}),
        ({"pmid": "7"}, {"pmid": "7", "doi": "10.1000/other"}),
        ({"doi": "10.1101/2020.01.01.123456v1"}, {"doi": "10.1101/2020.01.01.123456v2"}),
    ],
)
def test_rewritten_texts_with_one_identifier_are_one_work(tmp_path, one, other):
    kept, removed = deduplicated(
        tmp_path, document("a:1", **one), document("b:2", REWRITTEN, **other)
    )
    assert removed == {"b:2": ("a:1", "same_identifier")}
    assert list(kept) == ["a:1"]


def test_an_identifier_that_the_texts_do_not_bear_out_removes_nothing(tmp_path):
    wrong = document("b:2", prose("another work", sentences=6), doi="10.1000/mice")
    kept, removed = deduplicated(tmp_path, document("a:1", doi="10.1000/mice"), wrong)
    assert (set(kept), removed) == ({"a:1", "b:2"}, {})


@pytest.mark.parametrize(
    ("one", "other", "removed"),
    [
        (["Ito", "Ny"], ["Ito"], True),
        (["Ito", "Ny"], None, True),
        (["Ito", "Ny"], ["Lee", "Roth"], False),
    ],
)
def test_strangers_are_not_merged_for_one_identifier_where_their_texts_agree_little(
    tmp_path, one, other, removed
):
    """Papers of one subject share set phrases, and a record may bear the DOI of what it cites."""
    phrase = " ".join(ABSTRACT.split()[:14])
    first = document("a:1", f"{phrase} {prose('a', sentences=6)}", doi="10.1000/x", authors=one)
    second = document("b:2", f"{phrase} {prose('b', sentences=6)}", doi="10.1000/x", authors=other)
    kept, _ = deduplicated(tmp_path, first, second)
    assert (len(kept) == 1) == removed


def test_strangers_by_name_are_one_where_their_texts_agree_more(tmp_path):
    first = document("a:1", doi="10.1000/x", authors=["Ito"])
    second = document("b:2", REWRITTEN, doi="10.1000/x", authors=["ITER Group"])
    _, removed = deduplicated(tmp_path, first, second)
    assert removed == {"b:2": ("a:1", "same_identifier")}


@pytest.mark.parametrize(("bearers", "kept"), [(MOST_SHARING, 1), (MOST_SHARING + 1, 9)])
def test_an_identifier_that_many_documents_bear_needs_more_agreement(tmp_path, bearers, kept):
    phrase = " ".join(ABSTRACT.split()[:14])
    many = [
        document(f"s:{i}", f"{phrase} {prose(f'paper {i}', sentences=6)}", doi="10.1000/x")
        for i in range(bearers)
    ]
    assert len(deduplicated(tmp_path, *many)[0]) == kept


def test_one_title_author_and_year_make_one_work_where_the_texts_agree(tmp_path):
    told = {"title": TITLE, "authors": ["Ito", "Ny"], "year": 2001}
    preprint = document("a:1", f"{TITLE}\n\n{ABSTRACT}", **told)
    published = document("b:2", f"{TITLE}\n\n{REWRITTEN}", **(told | {"year": 2002}))
    other = document("c:3", f"{TITLE}\n\n{prose('a third work', sentences=6)}", **told)
    kept, removed = deduplicated(tmp_path, preprint, published, other)
    assert set(removed.values()) == {("a:1", "same_work")}
    assert set(kept) == {"a:1", "c:3"}


def test_an_abstract_goes_for_the_full_text_that_begins_with_it(tmp_path):
    whole = document("a:1", f"{TITLE}\n\n{ABSTRACT}{BODY}")
    kept, removed = deduplicated(tmp_path, document("b:2", f"{TITLE}\n\n{ABSTRACT}"), whole)
    assert (set(kept), removed) == ({"a:1"}, {"b:2": ("a:1", "contained")})


@pytest.mark.parametrize(
    ("keep", "stays"),
    [
        (("published", "longer"), "a:published"),
        (("preprint", "longer"), "b:preprint"),
        (("longer",), "c:long"),
        (("newer",), "d:new"),
        (("open_licence",), "e:open"),
        (("source",), "f:wanted"),
    ],
)
def test_the_policy_says_which_copy_stays(tmp_path, keep, stays):
    copies = [
        document("a:published", version_kind="published"),
        document("b:preprint", version_kind="preprint"),
        document("c:long", f"{ABSTRACT} more"),
        document("d:new", year=2020),
        document("e:open", licence="CC-BY-4.0"),
        document("f:wanted"),
    ]
    kept, removed = deduplicated(tmp_path, *copies, keep=keep, sources=("f", "e"))
    assert list(kept) == [stays]
    assert {replacement for replacement, _ in removed.values()} == {stays}


@pytest.mark.parametrize("family", ["10.12688/f1000research.2-288", "10.48550/arxiv.1702.01819"])
@pytest.mark.parametrize("versions", [("v1", "v2"), ("v2", "v1"), ("v9", "v10"), ("v2", "")])
def test_of_one_year_the_later_version_stays_whatever_its_uid(tmp_path, family, versions):
    dois = [f"{family}.{v}" if "f1000" in family and v else f"{family}{v}" for v in versions]
    first, second = (
        document(name, f"{ABSTRACT} {name}", doi=doi, year=2020)
        for name, doi in zip(("a:1", "b:2"), dois, strict=True)
    )
    kept, _ = deduplicated(tmp_path, first, second, keep=("newer",))
    assert set(kept) == {"a:1" if versions == ("v2", "v1") else "b:2"}


def test_a_later_year_counts_more_than_a_later_version(tmp_path):
    doi = "10.21203/rs.3.rs-17218"
    old = document("a:1", f"{ABSTRACT} more", doi=f"{doi}/v3", year=2020)
    new = document("b:2", f"{ABSTRACT} less", doi=f"{doi}/v2", year=2021)
    assert set(deduplicated(tmp_path, old, new, keep=("newer",))[0]) == {"b:2"}


def test_a_version_never_reaches_into_the_year():
    assert version_of("10.21203/rs.3.rs-17218/v99999") < version_of(None) < VERSIONS_OF_YEAR


def test_a_kept_document_lists_its_copies_and_gets_what_it_lacks(tmp_path):
    kept, _ = deduplicated(
        tmp_path,
        document("a:1", f"{ABSTRACT} more", doi="10.1000/mice", year=2001),
        document("b:2", pmid="7", doi="10.1000/other", authors=["Ito"]),
        document("c:3", venue="Mice"),
    )
    row = kept["a:1"]
    assert row["copies"] == ["b:2", "c:3"]
    assert (row["doi"], row["pmid"], row["authors"]) == ("10.1000/mice", "7", ["Ito"])
    assert (row["year"], row["venue"], row["arxiv"]) == (2001, "Mice", None)


def test_losses_are_counted_by_source(tmp_path):
    rows = [document("a:1"), document("a:2"), document("b:3", prose("other", sentences=5))]
    columns = [pa.array([row.get(f.name) for row in rows], f.type) for f in DOCUMENTS]
    table = pa.Table.from_arrays(columns, schema=DOCUMENTS)
    write_partition(tmp_path / "clean" / TABLE / "part-00000.parquet", table)
    reads = {"clean": tmp_path / "clean"}
    counts = run_stage(dedup.STAGE, DedupConfig(), tmp_path / "dedup", reads).counts
    told = {name: counts[name] for name in ("of a", "removed of a", "of b", "removed of b")}
    assert told == {"of a": 2, "removed of a": 1, "of b": 1, "removed of b": 0}


@pytest.mark.parametrize(
    ("freer", "less_free"),
    [("CC0-1.0", "CC-BY-4.0"), ("CC-BY-4.0", "CC-BY-SA-4.0"), ("CC-BY-SA-4.0", "CC-BY-NC-4.0"),
     ("CC-BY-NC-4.0", "CC-BY-NC-ND-4.0"), ("CC-BY-NC-ND-4.0", None), ("MIT", "CC-BY-ND-4.0")],
)  # fmt: skip
def test_licences_are_ranked_by_what_they_allow(freer, less_free):
    assert openness(freer) > openness(less_free)
