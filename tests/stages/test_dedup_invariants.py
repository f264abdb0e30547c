"""What holds of every removal, whatever documents say of themselves and however they are laid out.

The measurements here are made with Python's sets on the texts, not with the kernels.
"""

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats.partition import write_partition
from corpusforge.kernels.bibliography import authors_agree, bibliographic_key, identity_keys
from corpusforge.kernels.evidence import MIN_SHARED, Limits
from corpusforge.stages import dedup
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import TABLE
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS
from stages.folders import rejects_of, run_stage, table_of

LIMITS = Limits()
TITLES = ("On the growth of mice in cold water", "Erosion of granite by lichens", "Editorial")
ABSTRACTS = [prose(f"abstract {n}", sentences=6) for n in range(2)]
BODIES = [prose(f"body {n}", sentences=30) for n in range(2)]
KINDS = ("copy", "shout", "cut", "begun", "rewritten", "full", "longer", "short", "empty")


def text_of(kind, title, work):
    """A text of one of two works, which have nothing in common."""
    abstract, body = ABSTRACTS[work], f"\n\n## Methods\n\n{BODIES[work]}"
    said = abstract.split()
    return {
        "copy": f"{title}\n\n{abstract}",
        "shout": f"{title}\n\n{abstract}".upper(),
        "cut": f"{title}\n\n{' '.join(said[:-4])}",
        "begun": f"{title}\n\n{' '.join(said[: len(said) // 2])}",
        "rewritten": f"{title}\n\n{' '.join(said[:30])} {prose('rewritten', sentences=5)}",
        "full": f"{title}\n\n{abstract}{body}",
        "longer": f"{title}\n\n{abstract}{body} {prose('appendix', sentences=20)}",
        "short": title,
        "empty": "",
    }[kind]


@st.composite
def documents(draw):
    """Rows of the table; any of them may bear the identifier or the title of the other work."""
    rows = []
    for number in range(draw(st.integers(1, 8))):
        title = draw(st.sampled_from(TITLES))
        kind, work = draw(st.sampled_from(KINDS)), draw(st.integers(0, 1))
        text = text_of(kind, title, work)
        name = f"{draw(st.sampled_from('abc'))}:{number}"
        rows.append(
            {
                "uid": uid_of(name),
                "doc_id": name,
                "source": name[0],
                "title": title,
                "text": text,
                "content": "full_text" if "## " in text else "abstract",
                "version_kind": draw(st.sampled_from(["preprint", "published", "unknown"])),
                "year": draw(st.sampled_from([None, 2000, 2001, 2004])),
                "authors": draw(st.sampled_from([None, ["Ito"], ["Ny", "Ito"]])),
                "doi": draw(st.sampled_from([None, "10.1000/a", "10.1000/b"])),
                "arxiv": draw(st.sampled_from([None, "1702.01819"])),
            }
        )
    return rows


keeps = st.sampled_from(
    [DedupConfig().keep, ("preprint", "longer"), ("published",), ("newer", "source"), ()]
)


def outcome(layout, keep):
    """Survivors and rejects of these partitions, by doc_id."""
    with TemporaryDirectory() as folder:
        base = Path(folder)
        for number, rows in enumerate(layout):
            columns = [pa.array([row.get(f.name) for row in rows], f.type) for f in DOCUMENTS]
            table = pa.Table.from_arrays(columns, schema=DOCUMENTS)
            write_partition(base / "clean" / TABLE / f"part-{number:05d}.parquet", table)
        reads = {"clean": base / "clean"}
        run_stage(dedup.STAGE, DedupConfig(keep=keep), base / "dedup", reads)
        survivors = {row["doc_id"]: row for row in table_of(base / "dedup")}
        return survivors, {row["doc_id"]: row for row in rejects_of(base / "dedup")}


@cache
def shingles(text):
    words = re.findall(r"[^\W_]+", text.lower())
    return {tuple(words[i : i + 5]) for i in range(max(1, len(words) - 4))} if words else set()


def ids_of(row):
    return set(identity_keys({"doi": row["doi"], "arxiv": row["arxiv"]}))


def inherited(row, rows):
    """Identifiers of a document, and of those that are one with it for another reason."""
    bearers = [
        other
        for other in rows
        if any(any(holding(*ends, ids_of).values()) for ends in ((row, other), (other, row)))
    ]
    return set().union(ids_of(row), *map(ids_of, bearers))


def holding(gone, kept, ids):
    """Which rules hold of two documents, by their measurements; `ids` tells their identifiers."""
    one, other = shingles(gone["text"]), shingles(kept["text"])
    both, smaller = len(one & other), min(len(one), len(other))
    if not both:
        return {}
    title = min(len(shingles(gone["title"])), len(shingles(kept["title"])))
    beyond = both - title
    years = [row["year"] for row in (gone, kept)]
    keys = [bibliographic_key(row["title"], row["authors"] or []) for row in (gone, kept)]
    titled = beyond >= MIN_SHARED and beyond / (smaller - title) >= LIMITS.bibliographic
    known = authors_agree(gone["authors"] or [], kept["authors"] or [])
    return {
        "exact_duplicate": one == other,
        "near_duplicate": both / len(one | other) >= LIMITS.similarity,
        "contained": both / len(one) >= LIMITS.containment and len(one) >= LIMITS.min_contained,
        "same_identifier": bool(ids(gone) & ids(kept))
        and both >= MIN_SHARED
        and both / smaller >= (LIMITS.identifier if known else LIMITS.bibliographic),
        "same_work": keys[0] is not None
        and keys[0] == keys[1]
        and (None in years or abs(years[0] - years[1]) <= LIMITS.max_years_apart)
        and titled,
    }


def borne_out(gone, kept, reason, rows):
    """What was measured for this reason; None if the two do not meet what it asks for."""
    if not holding(gone, kept, lambda row: inherited(row, rows)).get(reason, False):
        return None
    one, other = shingles(gone["text"]), shingles(kept["text"])
    both = len(one & other)
    near = reason in ("exact_duplicate", "near_duplicate")
    return both / (len(one | other) if near else min(len(one), len(other)))


@settings(max_examples=10, deadline=None)
@given(documents(), keeps, st.integers(1, 3), st.randoms(use_true_random=False))
def test_every_removal_is_borne_out_by_a_kept_document_and_no_order_matters(
    rows, keep, parts, random
):
    told = {row["doc_id"]: row for row in rows}
    survivors, removed = outcome([rows], keep)
    assert survivors.keys() | removed.keys() == told.keys()
    assert not survivors.keys() & removed.keys()
    assert len({row["cluster"] for row in survivors.values()}) <= len(survivors)
    for name, row in removed.items():
        assert row["detail"] in survivors
        measured = borne_out(told[name], told[row["detail"]], row["reason"], rows)
        full = [told[d]["content"] == "full_text" for d in (name, row["detail"])]
        assert full != [True, False] or row["reason"] in ("exact_duplicate", "near_duplicate")
        assert measured == row["observed"] >= row["limit"]
    copies = {copy: name for name, row in survivors.items() for copy in row["copies"]}
    assert copies == {name: row["detail"] for name, row in removed.items()}
    layout = [[] for _ in range(parts)]
    for row in random.sample(rows, len(rows)):
        random.choice(layout).append(row)
    assert outcome(layout, keep) == (survivors, removed)


def row_of(name, kind, **told):
    text = text_of(kind, TITLES[0], 0)
    return {
        "uid": uid_of(name),
        "doc_id": name,
        "source": name[0],
        "title": TITLES[0],
        "text": text,
        "content": "full_text" if "## " in text else "abstract",
        "version_kind": "unknown",
    } | {field: told.get(field) for field in ("doi", "arxiv", "authors", "year")}


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (("copy", {}), ("shout", {}), "exact_duplicate"),
        (("copy", {}), ("cut", {}), "near_duplicate"),
        (("copy", {}), ("full", {}), "contained"),
        (("copy", {"doi": "10.1000/a"}), ("rewritten", {"doi": "10.1000/a"}), "same_identifier"),
        (("copy", {"authors": ["Ito"]}), ("rewritten", {"authors": ["Ito"]}), "same_work"),
    ],
)
def test_such_documents_are_removed_for_every_reason(one, other, reason):
    """So the property above is not about documents of which none is ever removed."""
    rows = [row_of("a:1", one[0], **one[1]), row_of("b:2", other[0], **other[1])]
    survivors, removed = outcome([rows], DedupConfig().keep)
    [gone] = removed.values()
    assert gone["reason"] == reason
    assert set(survivors) == {gone["detail"]}
