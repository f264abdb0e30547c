"""One PubMed record, of an article or a book, to a Paper.

Elements and attributes as in NLM's DTD pubmed_190101 and its older editions.
"""

import re
from collections.abc import Iterable

from lxml import etree
from msgspec.structs import replace

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.parsers.identifiers import normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.markup import flatten
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.xmldoc import local_name, read_xml

WHAT = "one complete <PubmedArticle> or <PubmedBookArticle>"
NO_TITLE = {"not available", "in process citation", "no title available"}
# Publication types that say who paid, in which language or medium: not what the document is.
SECONDARY = re.compile(
    r"Research Support|English Abstract|Comparative Study|Multicenter Study|Video-Audio Media"
    r"|Webcasts?$|Retracted Publication|Corrected and Republished"
)
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def parse_article(record: bytes) -> Paper:
    """The paper of one record.

    Raises:
        MissingIdentifier: There is no PMID.
        ParseError: The bytes are not one well-formed record.
    """
    root = read_xml(record, WHAT)
    kind = local_name(root)
    if kind == "PubmedArticle":
        return _article(root)
    if kind == "PubmedBookArticle":
        return _book(root)
    raise ParseError(f"a record of {len(record):,} bytes is a <{kind}>; expected {WHAT}")


def _article(root: etree._Element) -> Paper:
    citation = root.find("MedlineCitation")
    article = None if citation is None else citation.find("Article")
    if citation is None or article is None:
        missing = "MedlineCitation" if citation is None else "MedlineCitation/Article"
        raise ParseError(f"PubMed record without {missing}: it holds no paper; expected {WHAT}")
    types = [flatten(kind) for kind in article.iterfind("PublicationTypeList/PublicationType")]
    journal = article.find("Journal")
    ids = _article_ids(root.find("PubmedData/ArticleIdList"))
    base = _text_of(citation, article, citation.iterfind("OtherAbstract"))
    return replace(
        base,
        doi=normal_doi(ids.get("doi")) or _electronic_doi(article),
        pmcid=normal_pmcid(ids.get("pmc")),
        authors=_family_names(article.find("AuthorList")),
        year=_year(
            *article.iterfind("Journal/JournalIssue/PubDate"), *article.iterfind("ArticleDate")
        ),
        venue=_first_text(journal, "Title", "ISOAbbreviation")
        or _first_text(citation, "MedlineJournalInfo/MedlineTA"),
        document_type=_document_type(types),
        version_kind="preprint" if "Preprint" in types else "published",
        retracted="Retracted Publication" in types or _has_retraction(citation),
    )


def _book(root: etree._Element) -> Paper:
    """A book, or a chapter with a title of its own and the book as its venue."""
    document = root.find("BookDocument")
    if document is None:
        raise ParseError(f"PubMed record without BookDocument: it holds no book; expected {WHAT}")
    book = document.find("Book")
    ids = _article_ids(document.find("ArticleIdList"))
    ids |= _article_ids(root.find("PubmedBookData/ArticleIdList"))
    types = [flatten(kind) for kind in document.iterfind("PublicationType")]
    base = _text_of(document, document, document.iterfind("OtherAbstract"))
    whole = _first_text(book, "BookTitle")
    authors = [*document.iterfind("AuthorList"), *document.iterfind("Book/AuthorList")]
    own = next((names for names in authors if names.get("Type") != "editors"), None)
    return replace(
        base,
        title=base.title or _title(book, "BookTitle"),
        doi=normal_doi(ids.get("doi")) or _electronic_doi(book),
        pmcid=normal_pmcid(ids.get("pmc")),
        authors=_family_names(own),
        year=_year(*document.iterfind("Book/PubDate"), *document.iterfind("ContributionDate")),
        venue=(whole if base.title else _first_text(book, "CollectionTitle")) or None,
        document_type=_document_type(types),
        version_kind="published",
    )


def _text_of(
    holder: etree._Element, article: etree._Element, others: Iterable[etree._Element]
) -> Paper:
    """Identity, title, abstracts and language: what an article and a book share."""
    pmid_element = holder.find("PMID")
    pmid = None if pmid_element is None else normal_pmid(pmid_element.text)
    if pmid_element is None or pmid is None:
        found = "no PMID" if pmid_element is None else f"PMID {pmid_element.text!r}"
        raise MissingIdentifier(
            f"PubMed record titled {_title(article, 'ArticleTitle')!r} has {found}; expected digits"
        )
    version = pmid_element.get("Version", "1")
    abstract, translations = _abstracts(article.find("Abstract"), others)
    return Paper(
        source_id=pmid,
        version=int(version) if re.fullmatch("[0-9]{1,6}", version) else 1,
        pmid=pmid,
        title=_title(article, "ArticleTitle") or _title(article, "VernacularTitle"),
        abstract=abstract,
        translations=translations,
        declared_language=_language([code.text or "" for code in article.iterfind("Language")]),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
    )


def _title(article: etree._Element | None, tag: str) -> str:
    """The title; the brackets that mark a translated one are no part of it."""
    title = _first_text(article, tag)
    if bracketed := re.fullmatch(r"\[(.*)\](\.?)", title):
        inner = bracketed[1]
        if _is_one_bracket(inner):
            title = inner if inner.endswith((".", "?", "!")) else inner + bracketed[2]
    return "" if title.rstrip(".").lower() in NO_TITLE else title


def _is_one_bracket(inner: str) -> bool:
    """Whether the brackets around `inner` belong together, unlike in "[3H]thymidine [letter]"."""
    depth = 0
    for character in inner:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            return False
    return depth == 0


def _abstracts(
    main: etree._Element | None, others: Iterable[etree._Element]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The abstract, and those in other languages.

    Old records have their only abstract from another database (Type PIP, NASA and others), in
    English: where NLM gives none, that one is the abstract. A plain-language summary is a second
    text about the paper and never stands in for it.
    """
    abstract = "" if main is None else _abstract(main)
    translations: list[tuple[str, str]] = []
    for other in others:
        language, text = normal_language(other.get("Language", "eng")), _abstract(other)
        if not text or language is None:
            continue
        if language != "en":
            translations.append((language, text))
        elif not abstract and other.get("Type") != "plain-language-summary":
            abstract = text
    return abstract, tuple(translations)


def _abstract(element: etree._Element) -> str:
    """One paragraph per AbstractText, after its label; a CopyrightInformation is not among them."""
    paragraphs = []
    for part in element.iterfind("AbstractText"):
        text, label = flatten(part), " ".join(part.get("Label", "").split()).rstrip(":")
        if label and label != "UNLABELLED":  # NLM's word for a part without a label
            # "LEVEL OF EVIDENCE: 4" is a label, and all there is; a bare "RESULTS" says nothing.
            text = f"{label}: {text}" if text else label * (":" in label)
        if text:
            paragraphs.append(text)
    return PARAGRAPH.join(paragraphs)


def _article_ids(listed: etree._Element | None) -> dict[str, str]:
    """The first id of each kind. The lists inside ReferenceList name other papers."""
    ids: dict[str, str] = {}
    for item in () if listed is None else listed.iterfind("ArticleId"):
        if item.text:
            ids.setdefault(item.get("IdType", ""), item.text)
    return ids


def _electronic_doi(article: etree._Element | None) -> str | None:
    for place in () if article is None else article.iterfind("ELocationID"):
        if place.get("EIdType") == "doi" and place.get("ValidYN", "Y") != "N":
            return normal_doi(place.text)
    return None


def _family_names(authors: etree._Element | None) -> tuple[str, ...]:
    """Family or collective names in order; an author marked invalid was corrected by another."""
    listed = [] if authors is None else authors.iterfind("Author")
    valid = (author for author in listed if author.get("ValidYN") != "N")
    names = (_first_text(author, "LastName", "CollectiveName") for author in valid)
    return tuple(name for name in names if name)


def _year(*dates: etree._Element) -> int | None:
    """The first year in the first date that has one: "1998 Dec-1999 Jan" is 1998."""
    for date in dates:
        if found := YEAR.search(_first_text(date, "Year", "MedlineDate")):
            return int(found[0])
    return None


def _language(codes: list[str]) -> str | None:
    """English if it is among them, as PubMed's titles and abstracts then are; else the first."""
    known = [language for language in map(normal_language, codes) if language]
    return "en" if "en" in known else next(iter(known), None)


def _document_type(types: list[str]) -> str | None:
    primary = [kind for kind in types if kind and not SECONDARY.match(kind)]
    return next(iter(primary or types), None)


def _has_retraction(citation: etree._Element) -> bool:
    notes = citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    return any(note.get("RefType") == "RetractionIn" for note in notes)


def _first_text(parent: etree._Element | None, *paths: str) -> str:
    """The text of the first path that has some, or ""."""
    for path in paths:
        found = None if parent is None else parent.find(path)
        if found is not None and (text := flatten(found)):
            return text
    return ""
