"""Readers of JSON lines, each against plain loops over the same bytes, in the same run.

`json.loads` decodes every field of every line: it builds no paper, checks no identifier,
normalises no text and counts no loss. `script` is `json.loads` and what a script for one source
would take out of the record, abstracts rebuilt. `decode` is this project's typed decoding alone,
before any paper is made of it. Times are the best of some rounds, one thread. Records come from
CORPUSFORGE_DATA and are multiplied to a file of some size.

    CORPUSFORGE_DATA=… python benchmarks/bench_readers.py
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from corpusforge.parsers import (
    arxiv,
    crossref,
    oag,
    openalex,
    s2orc,
    semantic_scholar,
    unarxive,
)
from corpusforge.sources.json_lines import read_json_lines
from corpusforge.sources.lines import read_lines
from corpusforge.sources.records import Found

MEGABYTES = 24
ROUNDS = 3
DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SAMPLES = DATA / "samples"


def best_seconds(work, rounds=ROUNDS):
    """The fastest of some rounds: what the machine can do when nobody disturbs it."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def multiplied(records, folder, name):
    """A file of these records, again and again."""
    once = b"".join(record.rstrip() + b"\n" for record in records if record.strip())
    path = folder / name
    path.write_bytes(once * max(1, MEGABYTES * 1_000_000 // len(once)))
    return path


def loads_loop(path):
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def script_loop(path):
    """What a script takes out of a record: title, abstract, id, DOI, year, names, venue."""
    papers = []
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            index = record.get("abstract_inverted_index") or record.get("indexed_abstract")
            if isinstance(index, str):
                index = json.loads(index)["InvertedIndex"]
            abstract = record.get("abstract") or ""
            if index:
                places = sorted((at, word) for word, ats in index.items() for at in ats)
                abstract = " ".join(word for _, word in places)
            if isinstance(abstract, str):
                abstract = " ".join(abstract.split())
            names = record.get("authors") or record.get("authorships") or []
            names = [name.get("name") for name in names if isinstance(name, dict)]
            title = " ".join(str(record.get("title") or "").split())
            rest = [record.get(key) for key in ("id", "doi", "year", "venue", "license", "url")]
            papers[:] = [title, abstract, names, *rest]


def openalex_work(number):
    """A work of the size and the fields that the snapshot has; its words mean nothing."""
    random = Random(number)
    words = [f"w{random.randrange(400)}" for _ in range(170)]
    index = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    url = "https://openalex.org/"
    topics = [
        {"id": f"{url}T{i}", "display_name": f"Topic {i}", "score": 0.9, "subfield": {"id": i}}
        for i in range(12)
    ]
    people = [
        {"author_position": "middle", "author": {"id": f"{url}A{i}", "display_name": f"A. B{i}"},
         "institutions": [{"id": f"{url}I{i}", "display_name": "U", "lineage": [f"{url}I{i}"]}],
         "raw_affiliation_strings": ["Department of Words, University of Somewhere"] * 2}
        for i in range(6)
    ]  # fmt: skip
    work = {
        "id": f"{url}W{number + 1}",
        "doi": f"https://doi.org/10.1000/{number}",
        "title": "A title of a work of some length about words",
        "publication_year": 2015,
        "ids": {"mag": str(number + 1)},
        "language": "en",
        "primary_location": {"source": {"display_name": "Journal"}, "license": "cc-by"},
        "type": "article",
        "authorships": people,
        "topics": topics,
        "concepts": topics,
        "keywords": topics,
        "locations": [{"source": {"display_name": "Journal"}, "pdf_url": url}] * 3,
        "referenced_works": [f"{url}W{random.randrange(10**10)}" for _ in range(40)],
        "related_works": [f"{url}W{random.randrange(10**10)}" for _ in range(10)],
        "abstract_inverted_index": index,
        "counts_by_year": [{"year": y, "cited_by_count": y % 9} for y in range(2012, 2026)],
    }
    return json.dumps(work).encode()


def sources():
    """Name, parser, decoder and the lines to multiply."""
    works = [openalex_work(number) for number in range(300)]
    yield "OpenAlex (made up)", openalex.parse_openalex, openalex.DECODER, works
    real = {
        "OAG MAG": (oag, oag.parse_mag, "oag/mag_paper.jsonl"),
        "arXiv snapshot": (
            *(arxiv, arxiv.parse_arxiv),
            "arxiv/kaggle_arxiv-metadata-oai-snapshot.head.jsonl",
        ),
        "S2 metadata": (
            *(semantic_scholar, semantic_scholar.parse_semantic_scholar),
            "s2/s2orc_2020_metadata_sample.jsonl",
        ),
        "Crossref": (
            *(crossref, crossref.parse_crossref),
            "crossref/crossref-works.2018-01-21.badsample.json",
        ),
        "S2ORC": (s2orc, s2orc.parse_s2orc, "s2/s2orc_20200705_18980380.json"),
        "unarXive": (
            *(unarxive, unarxive.parse_unarxive),
            "unarxive/arXiv_src_2212_086.head.jsonl",
        ),
    }
    for name, (module, parse, file) in real.items():
        if (SAMPLES / file).is_file():
            yield name, parse, module.DECODER, (SAMPLES / file).read_bytes().split(b"\n")


def decode_loop(path, decoder):
    for line in read_lines(path):
        decoder.decode(line.content)


def read(path, parse):
    """How many papers there are."""
    return sum(isinstance(record, Found) for record in read_json_lines(path, parse))


def main():
    if not SAMPLES.is_dir():
        print(f"no real files at {DATA}; CORPUSFORGE_DATA names the folder", file=sys.stderr)
    print(
        f"{'':<20}{'MB':>5}{'reader':>9}{'json.loads':>12}"
        f"{'ratio':>8}{'to script':>11}{'decode':>9}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, parse, decoder, lines in sources():
            path = multiplied(lines, Path(folder), "dump")
            size = path.stat().st_size / 1e6
            ours = best_seconds(lambda p=path, q=parse: read(p, q))
            loads = best_seconds(lambda p=path: loads_loop(p))
            script = best_seconds(lambda p=path: script_loop(p))
            decode = best_seconds(lambda p=path, d=decoder: decode_loop(p, d))
            print(
                f"{name:<20}{size:5.0f}{size / ours:9.0f}{size / loads:12.0f}{loads / ours:8.2f}"
                f"{script / ours:11.2f}{loads / decode:9.2f}"
            )


if __name__ == "__main__":
    main()
