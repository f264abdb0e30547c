"""What one JATS article becomes."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import ACKNOWLEDGEMENT, FIGURE, REFERENCE, SUB_ARTICLE
from corpusforge.parsers.jats import parse_jats
from corpusforge.parsers.paper import MissingIdentifier

NAMESPACES = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/ali"'
DOI = '<article-id pub-id-type="doi">10.1000/One</article-id>'
TITLES = "<title-group><article-title>A title</article-title></title-group>"
PARTS = {"attributes": "", "ids": DOI, "titles": TITLES, "journal": "", "rest": ""}


def document(meta="", body="", **changed):
    part = PARTS | changed
    return (
        f"<article {NAMESPACES} {part['attributes']}><front>"
        f"<journal-meta>{part['journal']}</journal-meta>"
        f"<article-meta>{part['ids']}{part['titles']}{meta}</article-meta></front>"
        f"<body>{body}</body>{part['rest']}</article>"
    ).encode()


def parse(*args, **kwargs):
    return parse_jats(document(*args, **kwargs))


def article_id(kind, value):
    return f'<article-id pub-id-type="{kind}">{value}</article-id>'


ALL_IDS = [
    article_id("publisher-id", "p-1"),
    article_id("doi", "https://doi.org/10.1000/One"),
    article_id("pmid", "42"),
    article_id("pmc", "7"),
]


@pytest.mark.parametrize(
    ("known", "source_id"), [(4, "PMC7"), (3, "42"), (2, "10.1000/one"), (1, "p-1")]
)
def test_an_article_is_named_by_the_best_identifier_it_has(known, source_id):
    assert parse(ids="".join(ALL_IDS[:known])).source_id == source_id


def test_every_identifier_is_in_its_normal_form():
    paper = parse(ids="".join([*ALL_IDS, article_id("arxiv", "arXiv:1702.01819v2")]))
    assert (paper.pmcid, paper.pmid) == ("PMC7", "42")
    assert (paper.doi, paper.arxiv) == ("10.1000/one", "1702.01819")
    assert paper.url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC7/"


def test_an_article_without_identifier_is_refused_by_its_title():
    with pytest.raises(MissingIdentifier, match=r"'A title' has article-ids .*: other; expected"):
        parse(ids=article_id("other", "x"))
    with pytest.raises(MissingIdentifier, match="without front/article-meta"):
        parse_jats(b"<article/>")


def titled(title, more=""):
    return parse(titles=f"<title-group><article-title>{title}</article-title>{more}</title-group>")


def test_a_subtitle_follows_a_colon():
    subtitle = "<subtitle>A study</subtitle>"
    assert titled("Mice", subtitle).title == "Mice: A study"
    assert titled("Mice?", subtitle).title == "Mice? A study"


def test_a_footnote_of_the_title_is_no_part_of_it():
    assert titled("Mice<xref ref-type='fn'>*</xref>").title == "Mice"


def test_sections_of_an_abstract_are_labels_as_in_pubmed():
    meta = (
        "<abstract><title>Abstract</title><sec><title>Aims:</title><p>To test.</p>"
        "<p>More.</p></sec><sec><title>Results</title><p>Works.</p></sec></abstract>"
    )
    assert parse(meta).abstract == "Aims: To test.\n\nMore.\n\nResults: Works."


@pytest.mark.parametrize(
    "kind",
    ["graphical", "teaser", "toc", "summary", "executive-summary", "plain-language-summary"],
)
def test_texts_for_other_readers_are_not_the_abstract(kind):
    meta = (
        f'<abstract abstract-type="{kind}"><p>Lay.</p></abstract><abstract><p>Own.</p></abstract>'
    )
    assert parse(meta).abstract == "Own."


def test_a_summary_is_the_abstract_where_there_is_no_other():
    meta = '<abstract abstract-type="{}"><p>Text.</p></abstract>'
    assert parse(meta.format("summary")).abstract == "Text."
    assert parse(meta.format("teaser")).abstract == ""


def test_the_doi_line_that_ends_an_abstract_is_not_text():
    line = "<p><bold>DOI:</bold> <ext-link>http://dx.doi.org/10.7554/eLife.00270.001</ext-link></p>"
    assert parse(f"<abstract><p>Text.</p>{line}</abstract>").abstract == "Text."


def test_abstracts_in_other_languages_are_translations():
    meta = (
        '<abstract xml:lang="es"><p>Texto.</p></abstract>'
        '<abstract xml:lang="pt"><p>Texto!</p></abstract>'
        '<trans-abstract xml:lang="en"><p>Text.</p></trans-abstract>'
    )
    paper = parse(meta, attributes='xml:lang="es-ES"')
    assert (paper.declared_language, paper.abstract) == ("es", "Texto.")
    assert paper.translations == (("pt", "Texto!"), ("en", "Text."))


def test_the_body_is_sections_in_order():
    body = (
        "<sec><title>Methods</title><p>We <xref ref-type='fig'>(Fig. 1)</xref> did."
        "<fig><caption><p>Figure text.</p></caption></fig> So.</p>"
        "<sec><title>Mice</title><p>Ten.</p></sec></sec>"
    )
    assert parse(body=body).body.split("\n\n") == [
        *("## Methods", "We (Fig. 1) did. So.", f"{FIGURE}Figure text.", "### Mice", "Ten."),
    ]


def contributor(kind, name):
    return f"<contrib contrib-type='{kind}'><name><surname>{name}</surname></name></contrib>"


def test_front_and_back_matter_floats_and_sub_articles_follow_the_article():
    """Each with its mark; who wrote a letter is no author."""
    inside = "<body><p>Dear authors.</p></body>"
    letter = (
        "<front-stub><title-group><article-title>Letter</article-title></title-group>"
        f"<contrib-group>{contributor('author', 'Judge')}</contrib-group></front-stub>{inside}"
        f"<sub-article>{inside}</sub-article><back><ack><p>So.</p></ack></back>"
    )
    rest = (
        "<back><ack><p>Thanks.</p></ack><ref-list><ref><mixed-citation>Old.</mixed-citation></ref>"
        "</ref-list></back><floats-group><fig><caption><p>Float.</p></caption></fig></floats-group>"
        f"<sub-article>{letter}</sub-article><response>{inside}</response>"
    )
    meta = (
        "<author-notes><corresp>a@b.c</corresp><fn fn-type='conflict'><p>None.</p></fn>"
        "<fn fn-type='equal'><p>Both.</p></fn></author-notes>"
        "<funding-group><funding-statement>Ours.</funding-statement></funding-group>"
    )
    paper = parse(meta, body="<p>Own.</p>", rest=rest)
    assert paper.authors == ()
    assert paper.body.split("\n\n") == [
        *("Own.", f"{ACKNOWLEDGEMENT}None.", f"{ACKNOWLEDGEMENT}Ours."),
        *(f"{ACKNOWLEDGEMENT}Thanks.", f"{REFERENCE}Old.", f"{FIGURE}Float."),
        *(f"{SUB_ARTICLE}## Letter", f"{SUB_ARTICLE}Dear authors."),
        *(f"{SUB_ARTICLE}{ACKNOWLEDGEMENT}So.", *[f"{SUB_ARTICLE}Dear authors."] * 2),
    ]


def test_authors_are_family_names_and_groups_without_editors_and_members():
    members = f"<contrib-group>{contributor('author', 'Member')}</contrib-group>"
    group = f"<contrib contrib-type='author'><collab>The Group{members}</collab></contrib>"
    people = contributor("author", "Ada") + group + contributor("editor", "Ed")
    meta = f"<contrib-group>{people}</contrib-group>"
    assert parse(meta).authors == ("Ada", "The Group")


def test_the_year_is_the_earliest_of_publication_and_not_of_release_elsewhere():
    dates = "".join(
        f"<pub-date pub-type='{kind}'><year>{year}</year></pub-date>"
        for kind, year in [("ppub", 2011), ("epub", 2010), ("nihms-submitted", 2008)]
    )
    assert parse(dates).year == 2010
    assert parse("<pub-date pub-type='pmc-release'><year>2012</year></pub-date>").year == 2012
    assert parse("<pub-date date-type='pub' iso-8601-date='2013-01-02'/>").year == 2013
    assert parse().year is None


@pytest.mark.parametrize(
    "journal",
    [
        "<journal-title>Tests</journal-title>",
        "<journal-title-group><journal-title>Tests</journal-title></journal-title-group>",
        "<journal-id>Tests</journal-id>",
    ],
)
def test_the_venue_is_found_in_every_edition_of_the_dtd(journal):
    assert parse(journal=journal).venue == "Tests"


@pytest.mark.parametrize(
    ("licence", "name"),
    [
        ('<license xlink:href="http://creativecommons.org/licenses/by/4.0/"/>', "CC-BY-4.0"),
        ("<license><ali:license_ref>https://creativecommons.org/publicdomain/zero/1.0/"
         "</ali:license_ref></license>", "CC0-1.0"),
        ('<license><license-p>Open. <ext-link xlink:href="http://creativecommons.org/licenses/'
         'by-nc-nd/4.0/">here</ext-link></license-p></license>', "CC-BY-NC-ND-4.0"),
        ("<license><p>the Creative Commons Attribution License</p></license>", "CC-BY"),
    ],
)  # fmt: skip
def test_the_licence_is_read_from_its_address_or_its_words(licence, name):
    paper = parse(f"<permissions>{licence}</permissions>")
    assert (paper.licence, paper.licence_stated) == (name, "article")


def test_without_a_licence_nothing_is_claimed():
    paper = parse("<permissions><copyright-statement>© Us</copyright-statement></permissions>")
    assert (paper.licence, paper.licence_stated) == (None, None)


def related(kind):
    return f'<related-article related-article-type="{kind}"/>'


def test_a_retracted_article_is_marked_and_its_notice_is_not():
    assert parse(related("retraction-forward")).retracted
    assert parse(titles=TITLES.replace("A title", "RETRACTED: A title")).retracted
    assert not parse(related("retracted-article"), attributes='article-type="retraction"').retracted
    assert not parse(titles=TITLES.replace("A title", "Retracted papers and us")).retracted


def test_the_kind_of_version_is_what_the_article_says():
    assert parse(attributes='article-type="preprint"').version_kind == "preprint"
    assert parse(ids=DOI + article_id("manuscript", "NIHMS1")).version_kind == "accepted"
    paper = parse(attributes='article-type="research-article"')
    assert (paper.version_kind, paper.document_type) == ("published", "research-article")


def test_default_namespaces_doctypes_and_wrappers_make_no_difference():
    plain = document("<abstract><p>Text &#945;.</p></abstract>", "<p>Body.</p>")
    spaced = plain.replace(b"<article ", b'<article xmlns="http://jats.nlm.nih.gov" ', 1)
    typed = b'<!DOCTYPE article PUBLIC "-//NLM//DTD v2.3" "unreachable.dtd">' + plain
    wrapped = b"<record><metadata>" + plain + b"</metadata></record>"
    assert parse_jats(spaced) == parse_jats(typed) == parse_jats(wrapped) == parse_jats(plain)


def test_a_document_that_is_no_article_says_what_it_is():
    with pytest.raises(ParseError, match="is a <html> with no <article>"):
        parse_jats(b"<html/>")


def test_entities_that_grow_without_end_are_refused():
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    bomb = f'<!DOCTYPE article [<!ENTITY e0 "ha">{levels}]><article>&e11;</article>'
    with pytest.raises(ParseError, match="amplification"):
        parse_jats(bomb.encode())


FRAGMENTS = ["<article>", "</article>", "<front>", "</front>", "<article-meta>", "</article-meta>"]
FRAGMENTS += ["<body>", "</body>", "<p>", "</p>", "<xref/>", DOI, "&nbsp;", "<x:y/>", "\0", "é"]
fragments = st.lists(st.sampled_from(FRAGMENTS)).map(lambda parts: "".join(parts).encode())


@given(st.binary() | fragments)
def test_any_bytes_give_a_paper_or_a_parse_error(data):
    with suppress(ParseError):
        assert parse_jats(data).source_id
