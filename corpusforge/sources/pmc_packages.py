"""PubMed Central's open access subset: packages of one article each, and the bulk archives of XML.

A package, `PMC13901.tar.gz`, is a folder with one `.nxml`, its PDF, figures and supplements; a bulk
archive, `oa_comm_xml.PMC000xxxxxx.baseline.2024-12-18.tar.gz`, has thousands of `PMC….xml`. Only
articles are read; everything else goes by and is no loss. An `.xml` that is not named for an
article is a supplement.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from corpusforge.parsers.jats import parse_jats
from corpusforge.reasons import Reason, Rejection
from corpusforge.sources.compressed import CutShortError
from corpusforge.sources.parsed import parsed
from corpusforge.sources.records import Lost, Record
from corpusforge.sources.streams import read_stream
from corpusforge.sources.tar_stream import Member, read_members

LONGEST = 64 << 20  # bytes of an article; the longest, with data in their tables, have 30 MB
ARTICLE = re.compile(r"(?:.*/)?(?:[^/]+\.nxml|PMC[0-9]+(?:\.[0-9]+)?\.xml)", re.I | re.S)


def read_pmc_package(path: Path) -> Iterator[Record]:
    """Every article of one archive; of one that is cut short what could be read, and one loss."""
    articles = 0
    try:
        for member in read_members(read_stream(path)):
            if ARTICLE.fullmatch(member.name):
                articles += 1
                yield _article(path.name, member)
    except CutShortError as error:
        detail = f"{path.name} {error}; fetch it again"
        yield Lost(f"{path.name}@end", Rejection(Reason.TRUNCATED, detail=detail))
        return
    if not articles:
        detail = f"{path.name} holds no article; expected a file such as PMC13901/paper.nxml in it"
        yield Lost(f"{path.name}@end", Rejection(Reason.UNREADABLE, detail=detail))


def _article(archive: str, member: Member) -> Record:
    key = f"{archive}@{member.name}"
    if member.size > LONGEST:
        detail = f"an article of {member.size:,} bytes; expected no more than {LONGEST:,}"
        return Lost(key, Rejection(Reason.UNREADABLE, member.size, LONGEST, detail))
    content = member.content.read(member.size)
    if len(content) < member.size:
        raise CutShortError(f"ends inside {member.name}")
    return parsed(content, key, parse_jats)
