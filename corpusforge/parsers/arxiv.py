"""arXiv metadata: a line of the Kaggle snapshot, or a row of the tables by category."""

import re
from collections.abc import Mapping

from msgspec import Struct

from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.parsers.fields import family_name, licence_of, one_line, sane_year
from corpusforge.parsers.identifiers import normal_arxiv, normal_doi
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts

INDENT = re.compile(
    r"\n[ \t]*(?=\n)|\n {2,}|\n\t"
)  # starts a paragraph; other line ends are layout
VERSION = re.compile(r"v([0-9]{1,4})")
BRACKETS = re.compile(r"\([^()]*\)")  # affiliations among the names
BETWEEN = re.compile(r",\s*(?:and\s+)?|\s+and\s+|;\s*")
NUMBER = re.compile(r"[0-9]{3,4}(?:\.[0-9]{1,17})?")
FIRST, LONGER = 704, 1501  # year and month of the first id of this form, and of five digits
TOLERANCE = 1e-7  # what the conversion to a float and back adds; ids are 1e-5 apart


class Version(Struct, gc=False):
    """When one version came."""

    version: str | None = None
    created: str | None = None


class Metadata(Struct):
    """What is read of a record."""

    id: str | None = None
    title: str | None = None
    abstract: str | None = None
    authors: str | None = None
    authors_parsed: list[list[str | None]] | None = None
    doi: str | None = None
    license: str | None = None
    versions: list[Version] | None = None
    update_date: str | None = None


DECODER = RecordDecoder(Metadata, "one record of arXiv's metadata")


def parse_arxiv(record: bytes) -> Paper:
    """The paper of one JSON record; raises like `paper_of`, and for bytes that are no object."""
    return paper_of(DECODER.decode(record))


def parse_arxiv_row(row: Mapping[str, str]) -> Paper:
    """The paper of one row of a table by category; raises like `paper_of`.

    In the tables of 2020 the ids went through a float; see `repaired_id`.
    """
    told = row.get("arxiv_id", "")
    arxiv = normal_arxiv(repaired_id(told))
    if arxiv is None:
        raise MissingIdentifier(
            f"arXiv row titled {row.get('title')!r} has id {told!r}, which is none of arXiv's and "
            f"cannot be repaired to exactly one"
        )
    return paper_of(
        Metadata(
            id=arxiv,
            title=row.get("title"),
            abstract=row.get("abstract"),
            authors=row.get("author_text"),
            doi=row.get("doi"),
            update_date=row.get("created"),
        )
    )


def paper_of(found: Metadata) -> Paper:
    """The paper that a record tells of; `version` is that of its last "vN".

    Raises:
        MissingIdentifier: The id is none of arXiv's. A number is none: it may have lost zeros.
        OnlyPlaceholder: The abstract only says that the paper was withdrawn.
    """
    arxiv = normal_arxiv(found.id)
    if arxiv is None:
        raise MissingIdentifier(
            f"arXiv record titled {found.title!r} has id {found.id!r}; expected a string such as "
            f"'0704.0001' or 'hep-th/9901001'"
        )
    [abstract] = real_texts(arxiv, unwrapped(found.abstract))
    versions, licence = found.versions or [], licence_of(found.license)
    last = VERSION.fullmatch(versions[-1].version or "") if versions else None
    return Paper(
        source_id=arxiv,
        version=int(last[1]) if last else 1,
        title=one_line(found.title),
        abstract=abstract,
        doi=normal_doi(found.doi),
        arxiv=arxiv,
        authors=_family_names(found),
        year=sane_year(versions[0].created if versions else found.update_date),
        version_kind="preprint",
        licence=licence,
        licence_stated="article" if licence else None,
        url=f"https://arxiv.org/abs/{arxiv}",
    )


def unwrapped(text: str | None) -> str:
    """arXiv's abstracts are wrapped at 80 characters; an indented line starts a paragraph.

    The other line ends stay for clean, which knows words that were cut, formulas and lists.
    """
    return PARAGRAPH.join(filter(None, map(str.strip, INDENT.split((text or "").strip()))))


def repaired_id(told: str) -> str | None:
    """The id that a table wrote as a number, from which zeros at both ends were lost.

    "704.001" was 0704.0010: the digits after the point are four, and five since January 2015.
    None for a number that no id of arXiv gives in this way; what is no number stays as it is.

    >>> repaired_id("704.001"), repaired_id("1501.0264300000001"), repaired_id("cs/9809004")
    ('0704.0010', '1501.02643', 'cs/9809004')
    """
    if not NUMBER.fullmatch(told):
        return told
    month = int(told.partition(".")[0])
    digits = 5 if month >= LONGER else 4
    repaired = f"{float(told):0{5 + digits}.{digits}f}"
    unsound = (
        month < FIRST
        or not 1 <= month % 100 <= 12
        or repaired[:4] != f"{month:04}"
        or int(repaired[5:]) == 0
        or abs(float(repaired) - float(told)) > TOLERANCE
    )
    return None if unsound else repaired


def _family_names(found: Metadata) -> tuple[str, ...]:
    """From the parsed names where there are some; they are Unicode where the others are TeX."""
    if found.authors_parsed is not None:
        names = [one_line(person[0]) for person in found.authors_parsed if person]
        return tuple(filter(None, names))
    people = BETWEEN.split(BRACKETS.sub(" ", one_line(found.authors)))
    return tuple(filter(None, map(family_name, people)))
