"""Dublin Core as repositories give it in OAI-PMH (`oai_dc`): any element any number of times.

Most follow DSpace, with one dc:date per event and notes beside the abstract in dc:description, and
the OpenAIRE guidelines 3.0, with "info:eu-repo/semantics/…" in dc:type and other identifiers of the
same work in dc:relation.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from corpusforge.parsers.fields import family_name, language_code, licence_of, sane_year
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmid
from corpusforge.parsers.licences import licence_of_prose
from corpusforge.parsers.paper import Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.snippets import plain_line, plain_text
from corpusforge.parsers.xmldoc import attribute, children

SEMANTICS = "info:eu-repo/semantics/"
SAME_WORK = f"{SEMANTICS}altIdentifier/"
VERSION_KINDS = {
    "publishedversion": "published",
    "acceptedversion": "accepted",
    "submittedversion": "preprint",
    "draft": "preprint",
}
NO_TYPES = {"text", "doc-type:text"}  # true of every paper
NO_TEXT = ("http://", "https://", "info:", "Comment:")
MIN_TEXT = 30  # characters; "12 pages" and "Peer reviewed" are no abstracts
MAX_ADDRESS = 500  # characters


@dataclass(frozen=True)
class Description:
    """One dc:description, and its language where that is told."""

    language: str | None
    text: str


def parse_dublin_core(metadata: etree._Element, identifier: str) -> Paper:
    """The paper of one <oai_dc:dc>.

    Args:
        metadata: The element.
        identifier: Of the record in its repository.

    Raises:
        OnlyPlaceholder: The description only says that there is none.
    """
    identifiers = [*_values(metadata, "identifier"), *_same_work(metadata)]
    types = [value.removeprefix(SEMANTICS) for value in _values(metadata, "type")]
    language = _first(map(language_code, _values(metadata, "language")))
    texts = _descriptions(metadata)
    main = _abstract(texts, language)
    [abstract] = real_texts(identifier, main.text)
    licence = _first(map(_licence, _values(metadata, "rights")))
    kinds = (VERSION_KINDS.get(value.lower()) for value in types)
    return Paper(
        source_id=identifier,
        title=_first(map(plain_line, _values(metadata, "title"))) or "",
        abstract=abstract,
        doi=_first(map(normal_doi, identifiers)),
        arxiv=_first(map(normal_arxiv, identifiers)),
        pmid=_first(normal_pmid(value.removeprefix("pmid:")) for value in _same_work(metadata)),
        authors=tuple(_family_names(metadata)),
        year=min(filter(None, map(sane_year, _values(metadata, "date"))), default=None),
        document_type=_first(value for value in types if _says_something(value)),
        version_kind=_first(kinds) or "unknown",
        declared_language=language,
        translations=tuple(
            (other.language, other.text)
            for other in texts
            if other.language and other.language not in (main.language, language)
        ),
        licence=licence,
        licence_stated="article" if licence else None,
        url=_first(value for value in identifiers if _is_address(value)),
    )


def _descriptions(metadata: etree._Element) -> list[Description]:
    """Every description that is a text, and no address, term, note or arXiv's comment."""
    found = (
        Description(
            language_code(attribute(element, "lang")),
            plain_text("".join(map(str, element.itertext()))),
        )
        for element in children(metadata, "description")
    )
    return [
        each for each in found if len(each.text) >= MIN_TEXT and not each.text.startswith(NO_TEXT)
    ]


def _abstract(texts: list[Description], language: str | None) -> Description:
    """The longest text, or one in the paper's language; notes such as "12 pages" are short."""
    longest = max(texts, key=lambda each: len(each.text), default=Description(None, ""))
    own = [
        each
        for each in texts
        if each.language and each.language == language and 3 * len(each.text) > len(longest.text)
    ]
    return max(own, key=lambda each: len(each.text), default=longest)


def _family_names(metadata: etree._Element) -> Iterator[str]:
    for value in _values(metadata, "creator"):
        yield from filter(None, map(family_name, value.split(";")))


def _same_work(metadata: etree._Element) -> Iterator[str]:
    """Of dc:relation only what the guidelines say is another name of this work, not of a part."""
    for value in _values(metadata, "relation"):
        if value.startswith(SAME_WORK):
            yield value.removeprefix(SAME_WORK).replace("/", ":", 1)


def _licence(text: str) -> str | None:
    return licence_of(text) or licence_of_prose(text)


def _says_something(kind: str) -> bool:
    return kind.lower() not in NO_TYPES and kind.lower() not in VERSION_KINDS


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://")) and len(text) <= MAX_ADDRESS


def _values(metadata: etree._Element, name: str) -> list[str]:
    """Every value of an element that is not empty, on one line."""
    texts = ("".join(map(str, element.itertext())) for element in children(metadata, name))
    return [line for line in (" ".join(text.split()) for text in texts) if line]


def _first(values: Iterable[str | None]) -> str | None:
    return next(filter(None, values), None)
