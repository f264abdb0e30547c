"""Real papers of which it is known which are copies or versions of one work.

CORPUSFORGE_DATA names the folder; its README.md says where each file comes from.
"""

import json
import os
import re
from pathlib import Path

from small_corpus import Document

from corpusforge.kernels.structure import KINDS, restructure
from corpusforge.parsers.arxiv import parse_arxiv_row
from corpusforge.parsers.jats import parse_jats
from corpusforge.sources.delimited import read_delimited
from corpusforge.sources.records import Found
from corpusforge.sources.streams import read_stream
from corpusforge.sources.tar_stream import read_members

DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
LABELS = DATA / "labels" / "dedup"
# A tutorial and a chapter of a textbook, by others; of the 84 other pairs whose abstracts have a
# Jaccard similarity of 0.4 or less every one is a version, read one by one.
NO_VERSION = ("acl:P16-5-5", "1709.07809")


def lines(name):
    """The records of a labelled file."""
    whole = b"".join(read_stream(LABELS / name))
    return [json.loads(line) for line in whole.split(b"\n") if line.strip()]


def document_of(paper):
    """A paper as the documents of a corpus are: title, abstract and body in one text."""
    parts = [restructure(part, "drop", "".join(KINDS))[0] for part in (paper.abstract, paper.body)]
    text = "\n\n".join(filter(None, [paper.title, *parts]))
    ids = {"doi": paper.doi, "arxiv": paper.arxiv, "pmid": paper.pmid, "pmcid": paper.pmcid}
    return Document(text, paper.title, tuple(paper.authors), paper.year, ids)


def arxiv_tables():
    """(subject, id, document) of every row: a paper as often as it is cross-listed."""
    for path in sorted((DATA / "bench" / "arxiv").glob("*.tsv.xz")):
        for record in read_delimited(path, parse_arxiv_row):
            if isinstance(record, Found):
                yield (
                    path.name.removesuffix(".tsv.xz"),
                    record.paper.arxiv,
                    document_of(record.paper),
                )


def published_and_preprints():
    """(name, document, name, document) of published papers and preprints of one title.

    Their authors are not known: that of all is the same, so that the title alone makes the key.
    """
    for pair in lines("acl_vs_arxiv_same_title.jsonl.gz"):
        acl, arxiv = pair["acl_id"], pair["arxiv_id"]
        if (acl, arxiv) == NO_VERSION:
            continue
        made = []
        for source, year in (("acl", _acl_year(acl)), ("arxiv", 2000 + int(arxiv[:2]))):
            title, abstract = pair[f"title_{source}"], pair[f"abs_{source}"]
            made.append(Document(f"{title}\n\n{abstract}", title, ("unknown",), year))
        yield acl, made[0], arxiv, made[1]


def _acl_year(name):
    """The year of "acl:N18-1205"; None of a DOI."""
    short = re.search(r"\b[A-Z](\d\d)-", name)
    return 2000 + int(short[1]) if short else None


def changed_versions():
    """(similarity of the abstracts, document, document) of papers whose record was changed."""
    for pair in lines("arxiv_2019_vs_2020_changed.jsonl.gz"):
        documents = [
            Document(
                f"{pair[f'title_{year}']}\n\n{pair[f'abstract_{year}']}",
                pair[f"title_{year}"],
                ("unknown",),
                identifiers={"arxiv": pair["arxiv_id"]},
            )
            for year in (2019, 2020)
        ]
        yield pair["jaccard_w5"], *documents


def equal_titles():
    """(id, id) with the documents of papers on arXiv that have one title."""
    for pair in lines("arxiv_same_title_candidates.jsonl.gz"):
        documents = [
            Document(f"{pair[f'title{n}']}\n\n{pair[f'abs{n}']}", pair[f"title{n}"]) for n in (1, 2)
        ]
        yield (pair["id1"], pair["id2"]), *documents


def first_and_last_versions():
    """(first version, last version) of eLife's full texts, each paper once, as documents."""
    contents = {}
    for member in read_members(read_stream(LABELS / "elife_versions.tar.zst")):
        contents[Path(member.name).name] = member.content.read(member.size)
    for path in sorted((DATA / "demo" / "elife_versions").glob("*.xml")):
        contents.setdefault(path.name, path.read_bytes())
    pairs = {}
    for name, content in contents.items():
        if ".first." in name:
            last = name.split(".")[0]
            later = contents.get(f"{last}.last.xml") or contents[f"{last}.xml"]
            pairs[last] = tuple(document_of(parse_jats(version)) for version in (content, later))
    yield from (pairs[name] for name in sorted(pairs))


def bibliographic_pairs(kind):
    """(record, record, whether they are one) of DBLP and ACM; `kind` is Structured or Dirty."""
    for pair in lines(f"{kind}_DBLP-ACM.jsonl.gz"):
        yield pair["left"], pair["right"], bool(pair["label"])
