"""Made-up papers for tests: seeded English-like prose, PubMed and JATS files, pipeline files.

`write_corpus` puts a small corpus with one of everything in a folder; `finish` runs it serially.
Nothing here is anyone's text: sentences are drawn from the word lists below.
"""

import gzip
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from corpusforge.pipeline.plan import Plan, open_plan
from corpusforge.pipeline.runner import run_step
from corpusforge.work import Executor, SerialExecutor


def _words(text: str) -> list[str]:
    return text.split()


ADJECTIVES = _words("""
ancient broad careful central clear cold common complex deep distant early eastern effective exact
famous final fresh gentle global golden heavy hidden human important initial large late local long
modern narrow natural northern ordinary patient perfect popular possible precise public quiet rapid
rare recent regular rich rural sensitive serious sharp short significant silent simple single small
smooth social soft southern special stable strange strong sudden surprising typical urban useful
visible warm western wide wild young
""")
NOUNS = _words("""
animal answer apple autumn bank bird boat bridge building camera carpet castle chair child circle
city climate cloud coast colour computer corner country culture dance desert doctor dream engine
evening experiment family farmer field figure finger fire fish flower forest garden glass government
grain harbour harvest history hospital hotel house idea island journey kitchen lake language leaf
library machine market material meadow measurement message method mirror model morning mountain
museum music neighbour newspaper number ocean office orchard painting paper parent pattern people
picture planet plant pocket poem problem question railway rain region result river road sample
school science season shadow sheep shop signal silver student summer surface system table teacher
temperature theatre theory tower tradition traveller treatment tree valley village voice water
weather window winter wood word worker year
""")
VERBS = _words("""
accepts answers approaches avoids becomes begins brings builds carries catches changes collects
compares connects contains controls covers creates describes discovers divides explains explores
finds follows forgets forms gathers gives helps holds improves includes increases influences
joins keeps leads learns leaves measures meets moves needs observes offers opens paints passes
predicts prepares presents produces protects reaches receives reduces reflects remembers repeats
replaces requires shows shapes studies suggests supports surrounds teaches touches understands uses
""")
LINKS = _words("because while although when after before where and but so")


def sentence(source: random.Random) -> str:
    """One sentence of about fifteen words that a language detector takes for English."""
    first, second, third, fourth = (
        f"the {source.choice(ADJECTIVES)} {source.choice(NOUNS)}" for _ in range(4)
    )
    said = (
        f"{first} of {source.choice(NOUNS)} {source.choice(VERBS)} {second} "
        f"{source.choice(LINKS)} {third} {source.choice(VERBS)} {fourth}"
    )
    return said[0].upper() + said[1:] + "."


def prose(seed: int | str, sentences: int = 8) -> str:
    """That many sentences, about 17 words each; another seed gives unrelated ones."""
    source = random.Random(f"prose {seed}")
    return " ".join(sentence(source) for _ in range(sentences))


@dataclass(frozen=True)
class Record:
    """What a test says about one paper."""

    key: str  # PMID, or PMCID of a JATS article
    title: str = ""
    abstract: str = ""
    body: Sequence[str] = ()  # paragraphs; JATS only
    version: int = 1  # PubMed only
    year: int = 2001
    licence: str | None = None  # address of a Creative Commons licence; JATS only


def paper(number: int, seed: int = 0, sentences: int = 8) -> Record:
    """An ordinary record, unlike any other number's."""
    name = f"{seed} {number}"
    title = prose(f"title {name}", sentences=1)
    return Record(str(number), title, prose(name, sentences), year=1980 + number % 40)


def pubmed_record(record: Record) -> str:
    """One <PubmedArticle>; without a PMID where the key is empty."""
    pmid = f'<PMID Version="{record.version}">{record.key}</PMID>' if record.key else ""
    abstract = f"<Abstract><AbstractText>{escape(record.abstract)}</AbstractText></Abstract>"
    return (
        f"<PubmedArticle><MedlineCitation>{pmid}<Article>"
        f"<Journal><JournalIssue><PubDate><Year>{record.year}</Year></PubDate></JournalIssue>"
        f"<Title>Annals of Tests</Title></Journal>"
        f"<ArticleTitle>{escape(record.title)}</ArticleTitle>"
        f"{abstract if record.abstract else ''}<Language>eng</Language>"
        f"</Article></MedlineCitation></PubmedArticle>\n"
    )


def deletion(pmid: str, version: int = 1) -> str:
    """An order to drop a PMID."""
    return f'<DeleteCitation><PMID Version="{version}">{pmid}</PMID></DeleteCitation>\n'


def pubmed_file(parts: Iterable[Record | str]) -> bytes:
    """A PubMed file of records and of pieces given as XML, in order."""
    inner = "".join(p if isinstance(p, str) else pubmed_record(p) for p in parts)
    return f'<?xml version="1.0"?>\n<PubmedArticleSet>\n{inner}</PubmedArticleSet>\n'.encode()


def jats_file(record: Record) -> bytes:
    """A JATS article."""
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in record.body)
    licence = (
        f'<permissions><license xlink:href="{record.licence}"/></permissions>'
        if record.licence
        else ""
    )
    return (
        f'<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article">'
        f"<front><journal-meta><journal-title>Annals of Tests</journal-title></journal-meta>"
        f'<article-meta><article-id pub-id-type="pmc">{record.key}</article-id>'
        f"<title-group><article-title>{escape(record.title)}</article-title></title-group>"
        f'<pub-date pub-type="epub"><year>{record.year}</year></pub-date>{licence}'
        f"<abstract><p>{escape(record.abstract)}</p></abstract></article-meta></front>"
        f"<body><sec><title>Findings</title>{paragraphs}</sec></body></article>\n"
    ).encode()


def write_file(path: Path, content: bytes) -> Path:
    """Write a source file, compressed if its name ends in .gz; the same bytes every time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


PUBMED_SOURCE = {"kind": "pubmed", "folder": "sources/pubmed", "files": "*.xml*"}
JATS_SOURCE = {"kind": "jats", "folder": "sources/pmc", "files": "*.nxml"}
THIRTY_WORDS = {"words": {"min": 30}}
SMALL_STAGES: dict[str, Any] = {
    "extract": {"partition_bytes": 1},  # a partition per file
    "clean": {"quality": {"abstract": THIRTY_WORDS, "full_text": THIRTY_WORDS}},
    "tokenizer": {"vocabulary": 300, "sample": {"bytes": 20_000}},
    "shards": {"split": [8, 1, 1], "shard_tokens": 8_000},
}


def write_pipeline(
    folder: Path,
    sources: Mapping[str, Mapping[str, Any]],
    stages: Mapping[str, Mapping[str, Any]] | None = None,
    rest: Mapping[str, Any] | None = None,
) -> Path:
    """A pipeline file of these sources.

    Args:
        folder: Where pipeline.yaml goes; results go to output/ beside it.
        sources: Of extract.
        stages: Settings by stage, over SMALL_STAGES.
        rest: Other keys of the file, such as reject_budget.
    """
    settings = {name: dict(values) for name, values in SMALL_STAGES.items()}
    for name, values in (stages or {}).items():
        settings[name] = settings.get(name, {}) | dict(values)
    settings["extract"]["sources"] = {name: dict(source) for name, source in sources.items()}
    path = folder / "pipeline.yaml"
    recipe = {"output": "output", "stages": settings, **(rest or {})}
    path.write_bytes(msgspec.yaml.encode(recipe))
    return path


# What write_corpus plants, by doc_id; documents with other numbers are ordinary and survive.
UPDATED = "pubmed:1"  # version 2 in the last file counts; version 1 becomes a reject
DELETED = "pubmed:2"  # by the last file
COPIED = "pubmed:3"  # EXACT_COPY has its words in another case; the smaller uid stays
EXACT_COPY = "pubmed:9001"
IMITATED = "pubmed:4"  # NEAR_COPY lacks its last words, so this one stays
NEAR_COPY = "pubmed:9002"
SHORT = "pubmed:9003"
GERMAN = "pubmed:9004"
UNTITLED = "pubmed:9005"  # a title and no abstract
FULL_TEXT = "pmc:PMC1"
GERMAN_TEXT = (
    "Die Untersuchung der Wälder im Norden des Landes zeigt, dass die Bäume auch in kalten Jahren "
    "langsam wachsen und dass der Boden unter dem Schnee seine Wärme nicht verliert. Wir haben "
    "deshalb über viele Jahre die Temperatur gemessen und mit den Beobachtungen verglichen."
)


def write_corpus(
    folder: Path,
    documents: int = 60,
    seed: int = 0,
    stages: Mapping[str, Mapping[str, Any]] | None = None,
) -> Path:
    """A corpus with one of everything, and its pipeline file.

    Args:
        folder: Gets sources/ and pipeline.yaml.
        documents: Ordinary PubMed records, numbered from 1, at least 5; in three files. What is
            planted beside them has the names above.
        seed: Another one gives other texts.
        stages: Settings by stage, over SMALL_STAGES.
    """
    ordinary = [paper(number, seed) for number in range(1, documents + 1)]
    updated = replace(ordinary[0], version=2, abstract=prose(f"{seed} updated"))
    copied, imitated = ordinary[2], ordinary[3]
    planted = [
        replace(copied, key="9001", title=copied.title.upper(), abstract=copied.abstract.upper()),
        replace(imitated, key="9002", abstract=imitated.abstract.rsplit(" ", 3)[0]),
        Record("9003", "A short note", "Too few words."),
        Record("9004", "Die Wälder im Norden des Landes", GERMAN_TEXT),
        Record("9005", prose(f"{seed} untitled", sentences=3)),
    ]
    third = -(-documents // 3)
    pubmed = folder / "sources" / "pubmed"
    for i in range(3):
        batch = ordinary[i * third : (i + 1) * third]
        write_file(pubmed / f"pubmed-{i + 1:04d}.xml.gz", pubmed_file(batch))
    last = [updated, *planted, deletion("2")]
    write_file(pubmed / "pubmed-0004.xml", pubmed_file(last))
    article = Record(
        "PMC1",
        prose(f"{seed} full text title", sentences=1),
        prose(f"{seed} full text abstract", sentences=3),
        [prose(f"{seed} full text {i}") for i in range(3)],
        licence="https://creativecommons.org/licenses/by/4.0/",
    )
    write_file(folder / "sources" / "pmc" / "article-1.nxml", jats_file(article))
    return write_pipeline(folder, {"pubmed": PUBMED_SOURCE, "pmc": JATS_SOURCE}, stages)


def finish(pipeline: Path, executor: Executor | None = None, until: str | None = None) -> Plan:
    """Run the data stages of a pipeline to their end, in this process unless told otherwise."""
    plan = open_plan(pipeline)
    for step in plan.until(until):
        for _ in run_step(step, executor or SerialExecutor()):
            pass
    return plan


def results(output: Path) -> dict[str, str]:
    """SHA-256 of every result under an output folder, by path: equal for equal corpora.

    Left out is what tells how a run went and not what it made: receipts, manifests and the lock.
    """
    return {
        str(path.relative_to(output)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(output.rglob("*"))
        if path.is_file()
        and "receipts" not in path.parts
        and path.name not in {"manifest.json", "report.html", "evidence.json", ".lock"}
    }
