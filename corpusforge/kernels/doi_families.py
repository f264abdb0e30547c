"""DOIs of the versions and parts of one work: which family a DOI belongs to.

Each rule follows the form of the DOIs that the registrant named beside it issues; not all of those
forms are published anywhere. A rule matches the whole rest of the DOI, because what is a version at
one registrant is part of the name at another: "10.1016/0014-5793(85)80257-1" ends in no version.

A family is a reason to compare two texts, not to remove one. Not in it, on purpose: reviews and
authors' replies (eLife's ".sa1", Copernicus' "-rc1", F1000's 10.5256), whose texts are their own;
supplements; and versions whose DOIs do not tell that they are versions (Zenodo, SSRN, Copernicus'
discussion papers), which only their titles and texts connect.
"""

import re

_VERSION = r"v(?P<version>[0-9]+)"
_DATED = r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,8}"
_VIEW = r"(?:\.(?:abstract|full|full\.pdf|full-text))?"  # pages of one version

# Registrant to patterns of what follows its slash. `work` becomes the rest of the family's DOI.
_RULES: dict[str, tuple[str, ...]] = {
    # arXiv and DataCite: one DOI a paper, cited with and without version; old ids have a slash
    "10.48550": (rf"(?P<work>arxiv\.(?:[0-9]{{4}}\.[0-9]{{4,5}}|[a-z.-]+/[0-9]{{7}})){_VERSION}",),
    # bioRxiv (6 digits) and medRxiv (8); the registrant also has journals, with letters
    "10.1101": (rf"(?P<work>[0-9]{{6}}|[0-9]{{8}}|{_DATED})(?:{_VERSION})?{_VIEW}",),
    "10.64898": (rf"(?P<work>{_DATED})(?:{_VERSION})?{_VIEW}",),  # both, since December 2025
    # F1000Research, Wellcome, Gates, HRB Open Research, Open Research Europe, VeriXiv, ...;
    # until 2014 "2-288.v3"
    "10.12688": (r"(?P<work>[a-z0-9]+\.[0-9]+(?:-[0-9]+)?)\.v?(?P<version>[0-9]{1,2})",),
    "10.3310": (r"(?P<work>nihropenres\.[0-9]+)\.(?P<version>[0-9]{1,2})",),
    "10.35241": (r"(?P<work>emeraldopenres\.[0-9]+)\.(?P<version>[0-9]{1,2})",),
    "10.7490": (r"(?P<work>f1000research\.[0-9]+)\.(?P<version>[0-9]{1,2})",),  # posters, slides
    "10.15694": (r"(?P<work>mep\.[0-9]{4}\.[0-9]{6})\.(?P<version>[0-9]{1,2})",),  # MedEdPublish
    "10.21203": (rf"(?P<work>rs\.[0-9]\.[a-z0-9-]+)/{_VERSION}",),  # Research Square
    "10.20944": (rf"(?P<work>preprints[0-9]{{6}}\.[0-9]{{4,5}})\.{_VERSION}",),  # Preprints.org
    # ChemRxiv: to 2021, to 2025, since; for a while under Cambridge's registrant
    "10.26434": (
        rf"(?P<work>chemrxiv\.[0-9]+)[./]{_VERSION}",
        rf"(?P<work>chemrxiv-[0-9]{{4}}-[a-z0-9]{{5}})-{_VERSION}",
    ),
    "10.33774": (rf"(?P<work>[a-z]+-[0-9]{{4}}-[a-z0-9]{{5}})-{_VERSION}",),  # Cambridge Engage
    # eLife: reviewed preprints have 1 digit; .001 is the abstract, .003 a figure of the article
    "10.7554": (r"(?P<work>elife\.[0-9]{5,6})\.(?:(?P<version>[0-9])|[0-9]{3})",),
    "10.1371": (r"(?P<work>journal\.p[a-z]{3}\.[0-9]{7})\.[gt][0-9]{3}",),  # PLOS: figures, tables
    "10.7717": (r"(?P<work>peerj(?:-[a-z]+)?\.[0-9]+)/(?:fig|table)-[0-9]+",),  # PeerJ: the same
    "10.7287": (rf"(?P<work>peerj\.preprints\.[0-9]+){_VERSION}",),
    # JMIR: the manuscript's number stays when it is published
    "10.2196": (r"preprints\.(?P<work>[0-9]+)",),
    # figshare, and servers that run on it or on Authorea
    "10.6084": (rf"(?P<work>m9\.figshare\.(?:c\.)?[0-9]+)\.{_VERSION}",),
    "10.25384": (rf"(?P<work>sage\.(?:c\.)?[0-9]+)\.{_VERSION}",),
    "10.1184": (rf"(?P<work>r1/(?:c\.)?[0-9]+)\.{_VERSION}",),  # Carnegie Mellon
    "10.1364": (rf"(?P<work>opticaopen\.[0-9]+)\.{_VERSION}",),
    "10.36227": (rf"(?P<work>techrxiv\.[0-9]+(?:\.[0-9]+)?)[./]{_VERSION}",),
    "10.31124": (rf"(?P<work>advance\.[0-9]+(?:\.[0-9]+)?)[./]{_VERSION}",),
    "10.22541": (rf"(?P<work>(?:au|essoar)\.[0-9]+\.[0-9]+)/{_VERSION}",),
    "10.1002": (r"(?P<work>essoar\.[0-9]{8})\.(?P<version>[0-9]{1,2})",),  # before Authorea
    "10.12074": (rf"(?P<work>[0-9]{{6}}\.[0-9]{{5}}){_VERSION}",),  # ChinaXiv
    "10.1038": (r"(?P<work>npre\.[0-9]{4}\.[0-9]+)\.(?P<version>[0-9]{1,2})",),  # Nature Precedings
    "10.14293": (  # ScienceOpen
        rf"(?P<work>s2199-1006\.1\.sor-[a-z]*\.[a-z0-9]+|[a-z0-9]+\.[0-9]{{6}})\.{_VERSION}",
    ),
    "10.3762": (rf"(?P<work>bxiv\.[0-9]{{4}}\.[0-9]+)\.{_VERSION}",),  # Beilstein Archives
    "10.1099": (rf"(?P<work>acmi\.0\.[0-9]{{6}})\.{_VERSION}",),  # Access Microbiology
    "10.17504": (rf"(?P<work>protocols\.io\.[a-z0-9]+)/{_VERSION}",),
}
# OSF runs thirty servers (PsyArXiv, SocArXiv, ...), each under a registrant of its own.
_OSF = re.compile(rf"(?P<work>osf\.io/[a-z0-9]{{5}})_{_VERSION}")

_PATTERNS = {registrant: tuple(map(re.compile, rules)) for registrant, rules in _RULES.items()}


def doi_family(doi: str) -> str:
    """The DOI that stands for all versions and parts of a work; most DOIs are their own family.

    Args:
        doi: In its normal form: lower case, without resolver.

    >>> doi_family("10.12688/f1000research.2-288.v3"), doi_family("10.7554/elife.00270.003")
    ('10.12688/f1000research.2-288', '10.7554/elife.00270')
    """
    registrant, found = _match(doi)
    return doi if found is None else f"{registrant}/{found['work']}"


def doi_version(doi: str) -> int | None:
    """The version that a DOI names, None if it names none.

    Versions are comparable within a family. Argument as of `doi_family`.

    >>> doi_version("10.21203/rs.3.rs-17218/v2"), doi_version("10.7554/elife.00270")
    (2, None)
    """
    _, found = _match(doi)
    version = None if found is None else found.groupdict().get("version")
    return None if version is None else int(version)


def _match(doi: str) -> tuple[str, re.Match[str] | None]:
    registrant, _, suffix = doi.partition("/")
    for pattern in _PATTERNS.get(registrant, ()):
        if found := pattern.fullmatch(suffix):
            return registrant, found
    return registrant, _OSF.fullmatch(suffix)
