"""CORE API v3 records: works to papers.

Fields are absent, null, "" or [""] when there is nothing; numbers are sometimes strings.
"""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import msgspec
from msgspec import Raw, Struct

from corpusforge.errors import ParseError
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.paper import MissingIdentifier, Paper

PLACEHOLDER = "not available for public api users"  # instead of a full text, without a key
NO_ABSTRACT = re.compile(r"(?:no abstract(?: is)? available|abstract not available|n/?a)\.?", re.I)
MIN_ABSTRACT = 6  # characters; anything shorter is "-", "None." and the like
LABEL = re.compile(r"abstract\s*[.:]\s*", re.I)
# CORE glues arXiv's comment to the abstract: "…plastic deformation.Comment: 32 pages, 12 figure"
COMMENT = re.compile(r"\s*Comment:\s[^\n]{0,2000}$", re.S)
# \u27 for an apostrophe; \u22 only where it is not the beginning of \u2264 and the like.
PSEUDO_ESCAPE = re.compile(r"\\u(?:00)?(27|26|3[cCeE]|22(?![0-9a-fA-F]{2}))")
TAG = re.compile(
    r"</?(?:jats:)?(?:p|title|sec|italic|bold|sub|sup|i|b|em|strong|br|div|span)\b[^<>]*>"
)
OUTPUT = re.compile(r"/outputs/(\d+)$")
FILE = re.compile(r"https?://core\.ac\.uk/download/(?:pdf/)?(\d+)(?:\.pdf)?")
MAX_ADDRESS = 500  # characters; fields meant for one hold whole reference lists now and then


class _Page(Struct, frozen=True):
    results: list[Raw]
    total: Any = msgspec.field(name="totalHits", default=0)
    scroll: Any = msgspec.field(name="scrollId", default=None)


@dataclass(frozen=True)
class WorksPage:
    """One page of a search: works as they came, and what leads on."""

    total: int
    works: tuple[bytes, ...]  # one JSON object each
    scroll: str | None  # of the next page


def parse_works(body: bytes) -> WorksPage:
    """A response of /search/works.

    Raises:
        ParseError: It is not one.
    """
    try:
        page = msgspec.json.decode(body, type=_Page)
        total = int(page.total or 0)
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise ParseError(
            f"a response of {len(body):,} bytes is not a page of works: {error}; it starts with "
            f"{body[:80]!r}"
        ) from error
    works = tuple(bytes(raw) for raw in page.results)
    scroll = page.scroll if isinstance(page.scroll, str) and page.scroll else None
    return WorksPage(total, works, scroll)


def work_id(work: bytes) -> str:
    """The id of a work.

    Raises:
        ParseError: It is not a work.
    """
    return _identified(_object(work))


def parse_work(work: bytes) -> Paper:
    """The paper of one work.

    Raises:
        MissingIdentifier: It has no id.
        ParseError: It is not a work.
    """
    fields = _object(work)
    year = _string(fields.get("yearPublished")) or _string(fields.get("publishedDate"))[:4]
    arxiv = normal_arxiv(_string(fields.get("arxivId")))
    language = fields.get("language")
    return Paper(
        source_id=_identified(fields),
        title=_line(fields.get("title")),
        abstract=_abstract(_string(fields.get("abstract")), has_comment=arxiv is not None),
        body=_full_text(_string(fields.get("fullText"))),
        doi=normal_doi(_string(fields.get("doi"))),
        arxiv=arxiv,
        pmid=normal_pmid(_string(fields.get("pubmedId"))),
        core=_output_id(fields),
        mag=_string(fields.get("magId")) or None,
        authors=_family_names(fields.get("authors")),
        year=int(year) if re.fullmatch(r"[12]\d{3}", year) else None,
        venue=_venue(fields.get("journals")),
        document_type=_string(fields.get("documentType")) or None,
        declared_language=normal_language(
            _string(language.get("code")) if isinstance(language, dict) else None
        ),
        url=_address(fields.get("downloadUrl")),
    )


def output_with_file(work: bytes) -> str | None:
    """The output whose original file CORE offers for a work, or else its first one, if any.

    Raises:
        ParseError: It is not a work.
    """
    fields = _object(work)
    listed = fields.get("links")
    found = listed if isinstance(listed, list) else []
    links = [link.get("url") for link in found if isinstance(link, dict)]
    for address in (fields.get("downloadUrl"), *links):
        if match := FILE.fullmatch(_string(address)):
            return match[1]
    return _first_output(fields)


def _object(work: bytes) -> dict[str, Any]:
    try:
        fields = msgspec.json.decode(work)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ParseError(f"not JSON: {error}; it starts with {work[:80]!r}") from error
    if not isinstance(fields, dict):
        raise ParseError(f"expected a JSON object, found {work[:80]!r}")
    return fields


def _identified(fields: dict[str, Any]) -> str:
    found = _string(fields.get("id"))
    if not (found.isascii() and found.isdigit()):
        title = _string(fields.get("title"))[:80]
        raise MissingIdentifier(f"no id of CORE ({found!r}) in the work titled {title!r}")
    return found


def _string(value: object) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _plain(text: str) -> str:
    """Text without tags, entities (often encoded twice) and CORE's pseudo-escapes."""
    text = PSEUDO_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    return TAG.sub(" ", unescape(unescape(text)))


def _line(value: object) -> str:
    return " ".join(_plain(_string(value)).split())


def _abstract(text: str, has_comment: bool) -> str:
    """One line, without label, placeholder and the comment that arXiv's records end in."""
    if has_comment:
        text = COMMENT.sub("", text)
    line = LABEL.sub("", " ".join(_plain(text).split()), count=1) if text else ""
    return "" if len(line) < MIN_ABSTRACT or NO_ABSTRACT.fullmatch(line) else line


def _full_text(text: str) -> str:
    return "" if text.strip().rstrip(".").lower() == PLACEHOLDER else text.strip()


def _output_id(fields: dict[str, Any]) -> str | None:
    """The id by which CORE's dumps know the paper: of its first output, not of the work."""
    listed = fields.get("identifiers")
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and item.get("type") == "CORE_ID":
            return _string(item.get("identifier")) or None
    return _first_output(fields)


def _first_output(fields: dict[str, Any]) -> str | None:
    outputs = fields.get("outputs")
    found = OUTPUT.search(_string(outputs[0])) if isinstance(outputs, list) and outputs else None
    return found[1] if found else None


def _family_names(authors: object) -> tuple[str, ...]:
    """Family names, each person once.

    CORE mixes cited authors, who have a family name only, into the list of those who wrote: where
    anyone has a given name, names without one are not the paper's.
    """
    listed = authors if isinstance(authors, list) else []
    names = [_line(item.get("name")) for item in listed if isinstance(item, dict)]
    complete = [name for name in names if " " in name]
    return tuple(dict.fromkeys(_family(name) for name in complete or names if name))


def _family(name: str) -> str:
    family, comma, _ = name.partition(",")
    return family.strip() if comma else name.rsplit(maxsplit=1)[-1]


def _venue(journals: object) -> str | None:
    listed = journals if isinstance(journals, list) else []
    titles = [_line(item.get("title")) for item in listed if isinstance(item, dict)]
    return next((title for title in titles if title), None)


def _address(value: object) -> str | None:
    text = _string(value)
    return text if text.startswith("http") and len(text) <= MAX_ADDRESS else None
