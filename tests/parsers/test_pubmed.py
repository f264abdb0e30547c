"""What one PubMed record becomes."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.paper import MissingIdentifier
from corpusforge.parsers.pubmed import parse_article

PMID = '<PMID Version="1">42</PMID>'
JOURNAL = (
    "<Journal><JournalIssue><PubDate><Year>1999</Year></PubDate></JournalIssue>"
    "<Title>Annals of tests</Title><ISOAbbreviation>Ann Tests</ISOAbbreviation></Journal>"
)
TITLE = "<ArticleTitle>A title.</ArticleTitle>"


PARTS = {"pmid": PMID, "journal": JOURNAL, "title": TITLE, "citation": "", "data": ""}


def parse(article="", **changed):
    part = PARTS | changed
    return parse_article(
        f"<PubmedArticle><MedlineCitation>{part['pmid']}<Article>{part['journal']}{part['title']}"
        f"{article}</Article>{part['citation']}</MedlineCitation>"
        f"<PubmedData>{part['data']}</PubmedData></PubmedArticle>".encode()
    )


def titled(text, vernacular=""):
    inner = f"<ArticleTitle>{text}</ArticleTitle><VernacularTitle>{vernacular}</VernacularTitle>"
    return parse(title=inner).title


def types(*names):
    items = "".join(f"<PublicationType>{name}</PublicationType>" for name in names)
    return f"<PublicationTypeList>{items}</PublicationTypeList>"


def abstract(*parts):
    return (
        f"<Abstract>{''.join(f'<AbstractText{part}</AbstractText>' for part in parts)}</Abstract>"
    )


def other(kind, language, text):
    inner = f"<AbstractText>{text}</AbstractText>"
    return f'<OtherAbstract Type="{kind}" Language="{language}">{inner}</OtherAbstract>'


def test_a_record_gives_identity_place_and_time():
    paper = parse()
    assert (paper.source_id, paper.pmid, paper.version) == ("42", "42", 1)
    assert (paper.title, paper.venue, paper.year) == ("A title.", "Annals of tests", 1999)
    assert paper.url == "https://pubmed.ncbi.nlm.nih.gov/42/"


def test_the_version_of_a_pmid_is_kept():
    assert parse(pmid='<PMID Version="3">42</PMID>').version == 3


@pytest.mark.parametrize(("pmid", "found"), [("", "no PMID"), ("<PMID>x1</PMID>", "'x1'")])
def test_a_record_without_a_pmid_is_refused_by_its_title(pmid, found):
    with pytest.raises(MissingIdentifier, match=f"'A title.' has .*{found}"):
        parse(pmid=pmid)


def test_each_part_of_a_structured_abstract_is_a_paragraph_after_its_label():
    parts = abstract(' Label="AIMS">To test.', ' Label="Results:">It <i>works</i>.', ">Done.")
    assert parse(parts).abstract == "AIMS: To test.\n\nResults: It works.\n\nDone."


def test_unlabelled_is_not_a_label_and_an_empty_part_is_not_a_paragraph():
    assert parse(abstract(' Label="UNLABELLED">Text.', ' Label="AIMS">')).abstract == "Text."


def test_markup_and_formulas_inside_an_abstract_are_text():
    """T19. pymed#23: `.text` alone would stop at the first tag."""
    maths = '<m:math xmlns:m="x"> <m:msup><m:mi>R</m:mi> <m:mn>2</m:mn></m:msup>\n </m:math>'
    text = parse(abstract(f">H<sub>2</sub>O, 10<sup>5</sup>, {maths}.")).abstract
    assert text == "H2O, 10^5, $R^2$."


def test_a_copyright_notice_is_not_part_of_the_abstract():
    notice = "<CopyrightInformation>© 2001 Someone</CopyrightInformation>"
    text = abstract(">Text.").replace("</Abstract>", f"{notice}</Abstract>")
    assert parse(text).abstract == "Text."


def test_a_truncated_abstract_says_so_for_later_stages():
    assert parse(abstract(">Text (ABSTRACT TRUNCATED AT 250 WORDS)")).abstract.endswith("WORDS)")


@pytest.mark.parametrize(
    ("given_title", "title"),
    [
        ("[Foo bar].", "Foo bar."),
        ("[Foo bar.]", "Foo bar."),
        ("[Is it?].", "Is it?"),
        ("[Foo [3H]bar (author's transl)].", "Foo [3H]bar (author's transl)."),
        ("[3H]thymidine in [cells].", "[3H]thymidine in [cells]."),
        ("[3H]thymidine.", "[3H]thymidine."),
        ("Foo [letter].", "Foo [letter]."),
    ],
)
def test_the_brackets_of_a_translated_title_are_no_part_of_it(given_title, title):
    assert titled(given_title) == title


@pytest.mark.parametrize("missing", ["", "[Not Available].", "[In Process Citation]"])
def test_a_title_that_is_missing_in_english_is_the_vernacular_one(missing):
    assert titled(missing, "Über Tests.") == "Über Tests."


def test_abstracts_in_other_languages_are_translations():
    paper = parse(abstract(">Text."), citation=other("Publisher", "ger", "Deutsch."))
    assert (paper.abstract, paper.translations) == ("Text.", (("de", "Deutsch."),))


@pytest.mark.parametrize("kind", ["PIP", "NASA", "Publisher"])
def test_another_english_abstract_stands_in_where_there_is_none(kind):
    assert parse(citation=other(kind, "eng", "From them.")).abstract == "From them."
    assert parse(abstract(">Own."), citation=other(kind, "eng", "From them.")).abstract == "Own."


def test_a_plain_language_summary_is_not_an_abstract():
    paper = parse(citation=other("plain-language-summary", "eng", "For all."))
    assert (paper.abstract, paper.translations) == ("", ())


IDS = (
    "<ArticleIdList><ArticleId IdType='pubmed'>42</ArticleId><ArticleId IdType='pii'>S1</ArticleId>"
    "<ArticleId IdType='mid'>NIHMS1</ArticleId><ArticleId IdType='doi'>10.1000/OWN</ArticleId>"
    "<ArticleId IdType='pmc'>PMC7</ArticleId></ArticleIdList>"
)
CITED = (
    "<ReferenceList><Reference><ArticleIdList><ArticleId IdType='doi'>10.1000/cited</ArticleId>"
    "<ArticleId IdType='pmc'>PMC8</ArticleId></ArticleIdList></Reference></ReferenceList>"
)


def test_identifiers_are_those_of_the_article():
    paper = parse(data=CITED + IDS)
    assert (paper.doi, paper.pmcid, paper.pmid) == ("10.1000/own", "PMC7", "42")


def test_identifiers_of_cited_papers_are_not():
    paper = parse(data=CITED)
    assert (paper.doi, paper.pmcid) == (None, None)


@pytest.mark.parametrize(("valid", "doi"), [("Y", "10.1000/e"), ("N", None)])
def test_a_valid_electronic_location_is_the_second_source_of_the_doi(valid, doi):
    place = f'<ELocationID EIdType="doi" ValidYN="{valid}">10.1000/E</ELocationID>'
    assert parse(place).doi == doi
    assert parse(place, data=IDS).doi == "10.1000/own"


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("<Year>2001</Year>", 2001),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998),
        ("<MedlineDate>Spring 1987</MedlineDate>", 1987),
        ("<MedlineDate>12345</MedlineDate>", 2005),
        ("", 2005),
    ],
)
def test_the_year_is_that_of_the_issue_or_else_of_the_electronic_article(date, year):
    journal = f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>"
    paper = parse("<ArticleDate><Year>2005</Year></ArticleDate>", journal=journal)
    assert paper.year == year


@pytest.mark.parametrize(
    ("codes", "language"),
    [(["ger"], "de"), (["fre", "eng"], "en"), (["fre", "ger"], "fr"), (["und"], None), ([], None)],
)
def test_english_counts_among_several_languages_else_the_first(codes, language):
    listed = "".join(f"<Language>{code}</Language>" for code in codes)
    assert parse(listed).declared_language == language


def test_the_document_type_is_not_who_paid_for_it():
    listed = types("Research Support, Non-U.S. Gov't", "English Abstract", "Review", "Letter")
    assert parse(listed).document_type == "Review"
    assert parse(types("Comparative Study")).document_type == "Comparative Study"


def test_a_preprint_is_one_and_anything_else_is_published():
    assert parse(types("Preprint")).version_kind == "preprint"
    assert parse().version_kind == "published"


def test_a_retracted_paper_is_marked_and_its_retraction_notice_is_not():
    def noted(kind):
        return (
            f'<CommentsCorrectionsList><CommentsCorrections RefType="{kind}"/>'
            "</CommentsCorrectionsList>"
        )

    assert parse(types("Journal Article", "Retracted Publication")).retracted
    assert parse(citation=noted("RetractionIn")).retracted
    assert not parse(types("Retraction of Publication"), citation=noted("RetractionOf")).retracted


def test_authors_are_family_and_collective_names_without_invalidated_ones():
    authors = (
        "<AuthorList><Author><LastName>Muñoz</LastName><ForeName>A</ForeName></Author>"
        "<Author ValidYN='N'><LastName>Munoz</LastName></Author>"
        "<Author><CollectiveName>The Test Group</CollectiveName></Author></AuthorList>"
    )
    assert parse(authors).authors == ("Muñoz", "The Test Group")


def test_a_record_that_is_no_article_says_what_it_is():
    with pytest.raises(ParseError, match="is a <html>; expected"):
        parse_article(b"<html/>")
    with pytest.raises(ParseError, match="without MedlineCitation/Article"):
        parse_article(b"<PubmedArticle><MedlineCitation/></PubmedArticle>")


def test_a_cut_record_says_how_it_starts():
    with pytest.raises(ParseError, match=r"of 20 bytes .*starts with b'<PubmedArticle><PMID"):
        parse_article(b"<PubmedArticle><PMID")


FRAGMENTS = ["<PMID>", "</PMID>", "7", "<MedlineCitation>", "</MedlineCitation>", "<Article>"]
FRAGMENTS += ["</Article>", "&x;", "<a:b/>", "\0", "é", "<PubmedArticle>", "</PubmedArticle>"]
fragments = st.lists(st.sampled_from(FRAGMENTS)).map(lambda parts: "".join(parts).encode())


@given(st.binary() | fragments)
def test_any_bytes_give_a_paper_or_a_parse_error(data):
    with suppress(ParseError):
        assert parse_article(data).source_id


@pytest.mark.parametrize(
    ("label", "kept"), [("LEVEL OF EVIDENCE: 4", "LEVEL OF EVIDENCE: 4"), ("RESULTS", "")]
)
def test_a_part_that_is_all_label_is_kept_where_the_label_says_something(label, kept):
    record = (
        '<PubmedArticle><MedlineCitation><PMID Version="1">1</PMID><Article>'
        f'<Abstract><AbstractText Label="{label}"/></Abstract>'
        "</Article></MedlineCitation></PubmedArticle>"
    )
    assert parse_article(record.encode()).abstract == kept
