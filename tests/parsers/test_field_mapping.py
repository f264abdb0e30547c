"""Anyone's records, through a mapping of their fields."""

import json

import msgspec
import pytest

from corpusforge.parsers.field_mapping import FieldMapping, mapped_json, mapped_paper
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.placeholders import OnlyPlaceholder

ALL = FieldMapping(
    source_id="ids.own",
    version="rev",
    title="title.0",
    abstract="text.abstract",
    body="text.sections.p",
    doi="ids.doi",
    arxiv="ids.arxiv",
    pmid="ids.pmid",
    pmcid="ids.pmcid",
    authors="people.name",
    year="date",
    venue="in.a.dotted.name",
    document_type="kind",
    language="lang",
    licence="rights",
    retracted="gone",
    url="link",
    version_kind="accepted",
)
RECORD = {
    "ids": {"own": 7, "doi": "doi:10.1000/A", "arxiv": "1706.03762v2", "pmid": 5, "pmcid": "PMC1"},
    "rev": "v3",
    "title": ["A\ntitle", "another"],
    "text": {"abstract": "One.\n\nTwo.", "sections": [{"p": "First."}, {"q": 1}, {"p": "More."}]},
    "people": [{"name": "Ada van Dyck"}, {"name": "Bee, C."}],
    "date": 2010.0,
    "in.a.dotted.name": "Journal",
    "kind": "article",
    "lang": "eng",
    "rights": "cc-by",
    "gone": True,
    "link": "https://a",
    "unused": [1] * 10,
}


def test_every_field_finds_its_place():
    paper = mapped_json(json.dumps(RECORD).encode(), ALL)
    assert (paper.source_id, paper.version, paper.title) == ("7", 3, "A title")
    assert (paper.abstract, paper.body) == ("One.\n\nTwo.", "First.")
    assert (paper.doi, paper.arxiv, paper.pmid, paper.pmcid) == (
        *("10.1000/a", "1706.03762"),
        *("5", "PMC1"),
    )
    assert (paper.authors, paper.year, paper.venue) == (("van Dyck", "Bee"), 2010, "Journal")
    assert (paper.document_type, paper.version_kind) == ("article", "accepted")
    assert (paper.declared_language, paper.licence, paper.licence_stated) == (
        *("en", "CC-BY"),
        "article",
    )
    assert (paper.retracted, paper.url) == (True, "https://a")


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("Ada Bee; Cee, D.", ("Bee", "Cee")),
        ("Ada Bee and Luc van Gool", ("Bee", "van Gool")),
        (["Ada Bee", None, 7], ("Bee", "7")),
        (None, ()),
    ],
)
def test_authors_in_one_string_or_in_a_list(authors, names):
    mapping = FieldMapping(source_id="id", authors="who")
    assert mapped_paper({"id": "1", "who": authors}, mapping).authors == names


def test_sections_that_are_a_list_of_texts_are_paragraphs():
    mapping = FieldMapping(source_id="id", body="parts")
    assert mapped_paper({"id": "1", "parts": ["One.", "Two."]}, mapping).body == "One.\n\nTwo."


@pytest.mark.parametrize("values", [{}, {"id": None}, {"id": ""}, {"id": {}}, {"id": 1.5}])
def test_a_record_without_its_key_is_refused(values):
    with pytest.raises(MissingIdentifier, match="record has no 'id', which the mapping names"):
        mapped_paper(values, FieldMapping(source_id="id"))


def test_a_placeholder_is_no_text():
    with pytest.raises(OnlyPlaceholder):
        mapped_paper({"id": 1, "a": "No abstract"}, FieldMapping(source_id="id", abstract="a"))


def test_a_mapping_says_which_columns_it_needs():
    mapping = FieldMapping(source_id="ids.own", title="t")
    assert mapping.columns() == {"ids.own", "ids", "t"}


def test_a_mistake_in_a_mapping_is_told_with_its_place():
    with pytest.raises(msgspec.ValidationError, match="unknown field `titel`"):
        msgspec.json.decode(b'{"source_id": "id", "titel": "t"}', type=FieldMapping)


def test_texts_with_tags_lose_them_and_texts_without_keep_their_lines():
    fields = FieldMapping(source_id="id", title="t", abstract="a", body="b")
    values = {
        "id": "1",
        "t": "On CO<sub>2</sub>",
        "a": "<jats:title>Abstract</jats:title><jats:p>Of <i>mice</i>.</jats:p>",
        "b": "where a<b and\n<p^n> holds",
    }
    paper = mapped_paper(values, fields)
    assert (paper.title, paper.abstract) == ("On CO2", "Of mice.")
    assert paper.body == "where a<b and\n<p^n> holds"
