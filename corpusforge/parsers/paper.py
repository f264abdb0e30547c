"""One paper as its source tells it, before any cleaning."""

from msgspec import Struct

from corpusforge.errors import ParseError


class MissingIdentifier(ParseError):  # noqa: N818  (named for what is wrong with the record)
    """The record can be read, but nothing in it can name the document."""


class Paper(Struct, frozen=True, kw_only=True, gc=False):
    """What a parser found. Absent text is "", an absent identifier is None.

    `title` is one line. `abstract` and `body` are paragraphs joined by `PARAGRAPH`, with the marks
    of `kernels.marks`; section titles and labels of structured abstracts are kept in place.
    Formulas are LaTeX, "$x^2$" within a line and "$$x^2$$" as a paragraph; a list item starts
    with "- ".
    """

    source_id: str  # the source's own key, such as a PMID; unique within the source
    version: int = 1  # of the same source_id, the highest version counts
    title: str = ""
    abstract: str = ""
    body: str = ""
    doi: str | None = None  # lower case, without resolver or "doi:"
    arxiv: str | None = None
    pmid: str | None = None
    pmcid: str | None = None  # with its "PMC"
    core: str | None = None
    mag: str | None = None
    openalex: str | None = None
    scopus: str | None = None
    authors: tuple[str, ...] = ()  # family names, in order
    year: int | None = None
    venue: str | None = None
    document_type: str | None = None  # the source's own word, such as "Journal Article"
    version_kind: str = "unknown"  # preprint, accepted, published or unknown
    declared_language: str | None = None  # ISO 639-1, or the source's code where there is none
    translations: tuple[tuple[str, str], ...] = ()  # (language, abstract) in other languages
    licence: str | None = None  # SPDX-like, such as "CC-BY-4.0"
    licence_stated: str | None = None  # where: "article", "dataset"
    retracted: bool = False
    url: str | None = None
