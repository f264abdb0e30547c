"""One JATS or NLM article, of any edition of the DTD, to a Paper: identity and facts.

A retraction notice is a document of its own. What makes an article retracted is the publisher's
mark on the article itself: a link forward to the notice, or "RETRACTED" before its title.
"""

import re
from collections.abc import Iterator

from lxml import etree

from corpusforge.errors import ParseError
from corpusforge.parsers.identifiers import (
    normal_arxiv,
    normal_doi,
    normal_pmcid,
    normal_pmid,
)
from corpusforge.parsers.jats_text import abstracts, body, language_of, title
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.licences import licence_of_address, licence_of_prose
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.xmldoc import attribute, children, first, local_name, read_xml

WHAT = "one JATS <article>"
# Kinds of pub-date at which the article itself came out, in pub-type (old) and date-type (new).
# Release in PMC, submission of the manuscript and acceptance are other events.
PUBLISHED = {"pub", "epub", "ppub", "epub-ppub", "collection", "ecorrected", "eretracted"}
PUBLISHED |= {"publication", "print", "electronic", "preprint"}
YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
RETRACTED_TITLE = re.compile(r"\W*(?:RETRACTED|Retracted)(?:\s+(?:ARTICLE|[Aa]rticle))?\s*[:.\]-]")
RETRACTED_TYPES = {"retracted-article", "retracted"}
RETRACTED_LINKS = {"retraction-forward", "retracted-by"}


def parse_jats(document: bytes) -> Paper:
    """The paper of one document; its sub-articles (reviews, replies) are no part of it.

    Raises:
        MissingIdentifier: There is neither PMCID, PMID, DOI nor publisher's id.
        ParseError: The bytes are not a well-formed JATS article.
    """
    root = read_xml(document, WHAT)
    article = root if local_name(root) == "article" else root.find(".//{*}article")
    if article is None:
        raise ParseError(
            f"a document of {len(document):,} bytes is a <{local_name(root)}> with no <article> "
            f"in it; expected {WHAT}"
        )
    meta, journal = first(article, "front/article-meta"), first(article, "front/journal-meta")
    if meta is None:
        raise MissingIdentifier("JATS article without front/article-meta: nothing identifies it")
    ids = _ids(meta)
    doi, pmid = normal_doi(ids.get("doi")), normal_pmid(ids.get("pmid"))
    pmcid = normal_pmcid(ids.get("pmc") or ids.get("pmcid"))
    name = title(meta)
    source_id = pmcid or pmid or doi or ids.get("publisher-id")
    if source_id is None:
        kinds = ", ".join(ids) or "none"
        raise MissingIdentifier(
            f"JATS article titled {name!r} has article-ids of these kinds: {kinds}; expected a "
            f"valid one of pmc, pmid, doi or publisher-id"
        )
    licence = _licence(meta)
    abstract, translations = abstracts(article, meta)
    return Paper(
        source_id=source_id,
        title=name,
        abstract=abstract,
        body=body(article, meta),
        doi=doi,
        arxiv=normal_arxiv(ids.get("arxiv")),
        pmid=pmid,
        pmcid=pmcid,
        authors=tuple(_family_names(meta)),
        year=_year(meta),
        venue=_venue(journal),
        document_type=attribute(article, "article-type") or None,
        version_kind=_version_kind(article, ids),
        declared_language=normal_language(language_of(article)),
        translations=translations,
        licence=licence,
        licence_stated="article" if licence else None,
        retracted=_is_retracted(article, meta, name),
        url=_url(pmcid, doi),
    )


def _ids(meta: etree._Element) -> dict[str, str]:
    """The first article-id of each kind."""
    ids: dict[str, str] = {}
    for item in children(meta, "article-id"):
        if value := flatten(item):
            ids.setdefault(attribute(item, "pub-id-type").lower(), value)
    return ids


def _family_names(meta: etree._Element) -> Iterator[str]:
    """Family names of the authors in order; of a group, its name without its members."""
    for group in children(meta, "contrib-group"):
        for person in children(group, "contrib"):
            if attribute(person, "contrib-type") != "author":
                continue
            for path in ("name/surname", "name-alternatives/name/surname", "string-name/surname"):
                if (surname := first(person, path)) is not None:
                    yield flatten(surname)
                    break
            else:
                collaboration = first(person, "collab")
                if collaboration is not None and (name := flatten(collaboration)):
                    yield name


def _year(meta: etree._Element) -> int | None:
    """The earliest year of publication in any form; of any other event if there is none."""
    published: list[int] = []
    other: list[int] = []
    for date in children(meta, "pub-date"):
        element = first(date, "year")
        text = attribute(date, "iso-8601-date") if element is None else flatten(element)
        if found := YEAR.match(text):
            kind = attribute(date, "date-type") or attribute(date, "pub-type")
            (published if kind in PUBLISHED or not kind else other).append(int(found[0]))
    return min(published or other, default=None)


def _venue(journal: etree._Element | None) -> str | None:
    if journal is None:
        return None
    for path in ("journal-title-group/journal-title", "journal-title", "journal-id"):
        if (element := first(journal, path)) is not None and (name := flatten(element)):
            return name
    return None


def _licence(meta: etree._Element) -> str | None:
    """From a Creative Commons address if one is given anywhere, else from the words."""
    permissions = first(meta, "permissions")
    holders = [permissions] if permissions is not None else list(children(meta, "license"))
    holders += children(meta, "copyright-statement")  # where editions before 2.3 have it
    for element in (element for holder in holders for element in holder.iter()):
        for text in (attribute(element, "href"), attribute(element, "resource"), element.text):
            if text and (name := licence_of_address(text)):
                return name
    return licence_of_prose(" ".join(map(flatten, holders)))


def _version_kind(article: etree._Element, ids: dict[str, str]) -> str:
    if attribute(article, "article-type") == "preprint":
        return "preprint"
    # PMC gives this id to manuscripts that authors deposit after acceptance.
    return "accepted" if "manuscript" in ids else "published"


def _is_retracted(article: etree._Element, meta: etree._Element, name: str) -> bool:
    links = {attribute(link, "related-article-type") for link in children(meta, "related-article")}
    return (
        attribute(article, "article-type") in RETRACTED_TYPES
        or bool(links & RETRACTED_LINKS)
        or RETRACTED_TITLE.match(name) is not None
    )


def _url(pmcid: str | None, doi: str | None) -> str | None:
    if pmcid:
        return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
    return f"https://doi.org/{doi}" if doi else None
