"""Identifiers in one normal form, so that the same paper from two sources can be joined."""

import re
from urllib.parse import unquote

RESOLVER = re.compile(
    r"\s*(?:(?:https?:/+)?(?:www\.|dx\.)*doi\.org/+|(?:info:|urn:)?doi[:/\s]+)+", re.I
)
DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")
PMCID = re.compile(r"(?:PMC\s*|^\s*)([0-9]+)", re.I)
PMID = re.compile(r"\s*0*([1-9][0-9]*)\s*", re.ASCII)
ARXIV = re.compile(
    r"\s*(?:arxiv:\s*|https?://arxiv\.org/abs/)?([0-9]{4}\.[0-9]{4,5}|[a-z.-]+/[0-9]{7})"
    r"(?:v[0-9]+)?\s*",
    re.I,
)
CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}


def normal_doi(text: str | None) -> str | None:
    """The first DOI at the start of `text`: lower case, without resolver, prefix or tail.

    A closing bracket at the end is kept only where the DOI itself opens it, as in
    "10.1016/0014-5793(85)80257-(0)". None when `text` does not start with a DOI.

    >>> normal_doi("https://doi.org/10.7554/eLife.00270.")
    '10.7554/elife.00270'
    """
    if not text:
        return None
    bare = text.strip()
    if not bare.startswith("10."):
        bare = RESOLVER.sub("", bare, count=1).strip() if RESOLVER.match(bare) else bare
    if bare[:20].lower().find("%2f") > 0:  # a resolver's address may be percent-encoded
        bare = unquote(bare)
    found = DOI.match(bare)
    if found is None:
        return None
    doi = found[0].lower()
    if doi[-1].isalnum():
        return doi
    while doi[-1] in ".,;:'\"" or doi.count(doi[-1]) > doi.count(CLOSING.get(doi[-1], doi[-1])):
        doi = doi[:-1]
    return doi if DOI.fullmatch(doi) else None


def normal_pmcid(text: str | None) -> str | None:
    """A PubMed Central id with its "PMC", or None.

    >>> normal_pmcid("3166277"), normal_pmcid("pmc-id: PMC8315214;")
    ('PMC3166277', 'PMC8315214')
    """
    found = PMCID.search(text) if text else None
    return f"PMC{found[1]}" if found else None


def normal_pmid(text: str | None) -> str | None:
    """A PubMed id: ASCII digits without leading zeros, or None."""
    found = PMID.fullmatch(text) if text else None
    return found[1] if found else None


def normal_arxiv(text: str | None) -> str | None:
    """An arXiv id without "arXiv:" and version, or None.

    >>> normal_arxiv("arXiv:1702.01819v2"), normal_arxiv("hep-th/9901001")
    ('1702.01819', 'hep-th/9901001')
    """
    found = ARXIV.fullmatch(text) if text else None
    return found[1].lower() if found else None


def arxiv_doi(arxiv: str) -> str:
    """The DOI that arXiv itself gives a paper, in its normal form.

    >>> arxiv_doi("1702.01819")
    '10.48550/arxiv.1702.01819'
    """
    return f"10.48550/arxiv.{arxiv}"
