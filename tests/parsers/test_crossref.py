"""Works of Crossref."""

import gzip
import json

import pytest

from corpusforge.parsers.crossref import parse_crossref
from corpusforge.parsers.paper import MissingIdentifier

WORK = {
    "DOI": "10.1000/ABC",
    "title": ["On <i>cells</i>"],
    "subtitle": ["A study"],
    "container-title": ["Journal of Cells &amp; More"],
    "abstract": "<jats:title>Abstract</jats:title><jats:p>CO<jats:sub>2</jats:sub> rises.</jats:p>",
    "author": [{"family": "Dee"}, {"name": "The Consortium"}, {"given": "Plato"}, {}],
    "issued": {"date-parts": [[2003, 5]]},
    "language": "en",
    "license": [
        {"URL": "http://www.elsevier.com/tdm/userlicense/1.0/", "content-version": "tdm"},
        {"URL": "https://creativecommons.org/licenses/by/4.0/", "content-version": "vor"},
    ],
    "type": "journal-article",
}


def crossref(**fields):
    return parse_crossref(json.dumps(WORK | fields).encode())


def test_a_work():
    paper = crossref()
    assert (paper.source_id, paper.doi) == ("10.1000/abc", "10.1000/abc")
    assert (paper.title, paper.abstract) == ("On cells: A study", "CO2 rises.")
    assert paper.authors == ("Dee", "The Consortium", "Plato")
    assert (paper.year, paper.venue) == (2003, "Journal of Cells & More")
    assert (paper.licence, paper.version_kind) == ("CC-BY-4.0", "published")
    assert not paper.retracted


def test_the_envelope_of_the_api_is_opened():
    enveloped = json.dumps({"status": "ok", "message": WORK}).encode()
    assert parse_crossref(enveloped) == crossref()


def test_a_date_of_nothing_gives_way_to_another():
    fields = {"issued": {"date-parts": [[None]]}, "published-print": {"date-parts": [[1999]]}}
    assert crossref(**fields).year == 1999
    assert crossref(issued={"date-parts": [[None]]}).year is None


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ["RETRACTED: On cells"]},
        {"title": ["Retracted article: On cells"]},
        {"updated-by": [{"type": "retraction", "DOI": "10.1000/n"}]},
    ],
)
def test_a_retracted_work(fields):
    assert crossref(**fields).retracted


def test_a_notice_of_retraction_is_not_itself_retracted():
    paper = crossref(title=["RETRACTED: On cells"], **{"update-to": [{"type": "retraction"}]})
    assert (paper.retracted, paper.document_type) == (False, "retraction")


def test_a_correction_is_an_ordinary_work():
    paper = crossref(**{"update-to": [{"type": "correction"}]})
    assert (paper.retracted, paper.document_type) == (False, "journal-article")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"type": "posted-content", "subtype": "preprint"}, "preprint"),
        ({"type": "posted-content", "subtype": "other"}, "unknown"),
        ({"type": "book-chapter"}, "published"),
        ({"type": "dataset"}, "unknown"),
        ({"type": None}, "unknown"),
    ],
)
def test_version_kinds(fields, kind):
    assert crossref(**fields).version_kind == kind


@pytest.mark.parametrize("doi", [None, "", "doi", 7])
def test_a_work_without_a_doi_is_refused(doi):
    with pytest.raises(MissingIdentifier, match="Crossref work titled 'On cells'"):
        crossref(DOI=doi)


def test_real_works_are_all_read(real_data):
    folder = real_data / "samples/crossref"
    lines = (folder / "snapshot_line_entry1.json").read_bytes().splitlines()
    lines += (folder / "crossref-works.2018-01-21.badsample.json").read_bytes().splitlines()
    answer = json.loads((folder / "crossref_api_works.json").read_bytes())
    lines += [json.dumps(item).encode() for item in answer["message"]["items"]]
    papers = [parse_crossref(line) for line in lines if line.strip()]
    assert len(papers) == 19
    for paper in papers:
        assert paper.doi.startswith("10.")
        assert paper.title
        assert paper.authors
    assert sum(paper.year is None for paper in papers) == 1  # its date of issue is [[null]]


def test_a_real_doi_that_is_far_too_long_is_read_or_refused(real_data):
    record = gzip.decompress(
        (real_data / "samples/crossref/huge_crossref_doi.json.gz").read_bytes()
    )
    assert parse_crossref(record).title
