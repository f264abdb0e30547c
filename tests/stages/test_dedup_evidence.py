"""Copies that only identifiers, titles or containment give away, and which copy stays."""

import numpy as np
import pyarrow as pa
import pytest
from corpora import prose

from corpusforge.formats.partition import write_partition
from corpusforge.kernels.evidence import Limits
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.dedup_sign import openness
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


def test_a_full_text_never_goes_for_an_abstract_whatever_is_preferred(tmp_path):
    abstract = document("b:2", f"{TITLE}\n\n{ABSTRACT}", version_kind="published")
    whole = document("a:1", f"{TITLE}\n\n{ABSTRACT}{BODY}", version_kind="preprint")
    kept, removed = deduplicated(tmp_path, abstract, whole, keep=("published",))
    assert (set(kept), removed) == ({"a:1", "b:2"}, {})


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


def test_documents_that_resemble_a_third_and_were_no_candidates_are_compared_as_well(tmp_path):
    """a and c share an identifier with b each, and no key with each other."""
    longest = document("b:2", f"{ABSTRACT} {REWRITTEN}", doi="10.1000/x", pmid="7")
    one, other = document("a:1", doi="10.1000/x"), document("c:3", REWRITTEN, pmid="7")
    kept, removed = deduplicated(tmp_path, one, longest, other, limits=Limits(containment=1.0))
    assert set(kept) == {"b:2"}
    assert set(removed) == {"a:1", "c:3"}


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
