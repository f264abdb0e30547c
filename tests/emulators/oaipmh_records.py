"""Records of an OAI-PMH repository: items made from documents, and their three formats as XML."""

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape, quoteattr

from emulators.documents import Document

SETS = ("physics:hep-th", "cs", "math")
FIRST_DAY = datetime(2023, 1, 1, tzinfo=UTC)
LICENCE = "http://creativecommons.org/licenses/by/4.0/"
FORMATS = {  # prefix: namespace
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "arXiv": "http://arxiv.org/OAI/arXiv/",
    "arXivRaw": "http://arxiv.org/OAI/arXivRaw/",
}


@dataclass(frozen=True)
class Item:
    """One document as the repository holds it."""

    document: Document
    datestamp: datetime
    deleted: bool = False
    versions: int = 1

    @property
    def name(self):
        """arXiv's id of the paper."""
        year, number = divmod(self.document.number, 10_000)
        return f"{15 + year:02}01.{number:05}"

    @property
    def identifier(self):
        return f"oai:arXiv.org:{self.name}"

    @property
    def set(self):
        return SETS[self.document.number % len(SETS)]

    def changed(self, datestamp, **changes):
        """The item after a change: new text, a new version, or that it was deleted."""
        text = {k: v for k, v in changes.items() if k in ("title", "abstract")}
        own = {k: v for k, v in changes.items() if k not in text}
        return replace(self, datestamp=datestamp, document=replace(self.document, **text), **own)


def items_of(documents, seed=0, first=FIRST_DAY, days=90):
    """Items whose datestamps are spread over days, several to a second now and then."""
    draw = random.Random(seed)
    return [
        Item(
            document,
            first + timedelta(days=draw.randrange(days), hours=draw.randrange(24)),
            versions=1 + document.number % 3,
        )
        for document in documents
    ]


def record_xml(item, prefix, stamp):
    """One <record>; of a deleted item, only the header."""
    status = ' status="deleted"' if item.deleted else ""
    header = (
        f"<header{status}><identifier>{item.identifier}</identifier>"
        f"<datestamp>{stamp}</datestamp><setSpec>{item.set}</setSpec></header>"
    )
    if item.deleted:
        return f"<record>{header}</record>"
    return f"<record>{header}<metadata>{WRITERS[prefix](item)}</metadata></record>"


def element(name, text, attributes=""):
    return f"<{name}{attributes}>{escape(text)}</{name}>" if text else ""


def wrapped(text):
    """An abstract as arXiv prints it: indented, a line for each sentence."""
    return f"  {text.replace('. ', '.' + chr(10))}\n" if text else ""


def _arxiv(item):
    document = item.document
    authors = "".join(
        f"<author><keyname>{escape(family)}</keyname><forenames>{given}.</forenames></author>"
        for family, given in document.authors
    )
    return (
        f"<arXiv xmlns={quoteattr(FORMATS['arXiv'])}>{element('id', item.name)}"
        f"<created>{document.year}-03-01</created><updated>2099-01-01</updated>"
        f"<authors>{authors}</authors>{element('title', document.title)}"
        f"<categories>hep-th</categories>{element('doi', document.doi)}"
        f"{element('license', LICENCE)}{element('abstract', wrapped(document.abstract))}</arXiv>"
    )


def _arxiv_raw(item):
    document = item.document
    versions = "".join(
        f'<version version="v{n + 1}"><date>Mon, 2 Apr {document.year + n} 19:18:42 GMT</date>'
        f"<size>12kb</size></version>"
        for n in range(item.versions)
    )
    authors = ", ".join(f"{given}. {family}" for family, given in document.authors)
    return (
        f"<arXivRaw xmlns={quoteattr(FORMATS['arXivRaw'])}>{element('id', item.name)}"
        f"<submitter>A. Person</submitter>{versions}{element('title', document.title)}"
        f"{element('authors', authors)}<categories>hep-th</categories>"
        f"{element('doi', document.doi)}{element('license', LICENCE)}"
        f"{element('abstract', wrapped(document.abstract))}</arXivRaw>"
    )


def _dublin_core(item):
    document = item.document
    creators = "".join(element("dc:creator", f"{f}, {g}.") for f, g in document.authors)
    return (
        f"<oai_dc:dc xmlns:oai_dc={quoteattr(FORMATS['oai_dc'])} "
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"{element('dc:title', document.title)}{creators}"
        f"{element('dc:description', wrapped(document.abstract))}"
        f"<dc:description>12 pages</dc:description>"
        f"<dc:date>{document.year + 1}-05-01</dc:date><dc:date>{document.year}-03-01</dc:date>"
        f"<dc:type>text</dc:type><dc:type>info:eu-repo/semantics/article</dc:type>"
        f"<dc:type>info:eu-repo/semantics/acceptedVersion</dc:type>"
        f"{element('dc:identifier', f'http://arxiv.org/abs/{item.name}')}"
        f"{element('dc:identifier', document.doi and f'doi:{document.doi}')}"
        f"<dc:language>eng</dc:language>{element('dc:rights', LICENCE)}</oai_dc:dc>"
    )


WRITERS = {"oai_dc": _dublin_core, "arXiv": _arxiv, "arXivRaw": _arxiv_raw}
