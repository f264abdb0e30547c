"""arXiv's own formats in OAI-PMH: `arXiv`, with parsed names, and `arXivRaw`, with all versions."""

from lxml import etree

from corpusforge.parsers.arxiv import Metadata, Version, paper_of
from corpusforge.parsers.paper import Paper
from corpusforge.parsers.xmldoc import attribute, children, first


def parse_arxiv_metadata(metadata: etree._Element) -> Paper:
    """The paper of one <arXiv>; its year is that of the first version.

    Raises:
        MissingIdentifier: Its id is none of arXiv's.
        OnlyPlaceholder: The abstract only says that the paper was withdrawn.
    """
    people = first(metadata, "authors")
    names = [] if people is None else [_child(person, "keyname") for person in people]
    found = _metadata(metadata)
    found.authors_parsed = [[name] for name in names]
    found.update_date = _child(metadata, "created") or _child(metadata, "updated")
    return paper_of(found)


def parse_arxiv_raw(metadata: etree._Element) -> Paper:
    """The paper of one <arXivRaw>; raises like `parse_arxiv_metadata`."""
    found = _metadata(metadata)
    found.authors = _child(metadata, "authors")
    found.versions = [
        Version(attribute(version, "version"), _child(version, "date"))
        for version in children(metadata, "version")
    ]
    return paper_of(found)


def _metadata(metadata: etree._Element) -> Metadata:
    """What both formats have in the same place."""
    return Metadata(
        id=_child(metadata, "id"),
        title=_child(metadata, "title"),
        abstract=_child(metadata, "abstract"),
        doi=_child(metadata, "doi"),
        license=_child(metadata, "license"),
    )


def _child(element: etree._Element, name: str) -> str:
    found = first(element, name)
    return "" if found is None else "".join(map(str, found.itertext()))
