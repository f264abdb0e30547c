"""Languages of labelled abstracts: the cascade against `langdetect`, both on the same texts.

One thread. `langdetect` has its seed fixed; an exception of it is no language. Accuracy is on the
labels as the source has them. A label is disputed, by rule, where it names a language of one script
and the main script of the text is another: "zh" on a text without Chinese, "en" or "fr" on one that
is not in Latin letters. Times are the best of some rounds, in processor time, without loading.

    CORPUSFORGE_DATA=… python benchmarks/bench_language.py
"""

import gzip
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

from langdetect import DetectorFactory, LangDetectException, detect_langs

from corpusforge.kernels.language import UNKNOWN, identify, words_of
from corpusforge.kernels.language_documents import identify_document
from corpusforge.kernels.marks import PARAGRAPH

DATA = Path(os.environ.get("CORPUSFORGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
POOL = DATA / "labels" / "language" / "lang_pool.jsonl.gz"
LENGTHS = (50, 100, 200, 400, 800)  # characters that abstracts are cut to
BODY, BODIES = 40_000, 8  # characters of a body; bodies of each language
ROUNDS = 2


def peer(title, abstract, body=""):
    """The first answer of langdetect for a document."""
    try:
        best = detect_langs(PARAGRAPH.join(part for part in (title, abstract, body) if part))[0]
    except LangDetectException:
        return UNKNOWN
    return best.lang.partition("-")[0]


def one_text(title, abstract, body=""):
    return identify(PARAGRAPH.join(part for part in (title, abstract, body) if part))[0]


def by_passage(title, abstract, body=""):
    return identify_document(title, abstract, body).code


SIDES = {"langdetect": peer, "identify": one_text, "identify_document": by_passage}


def answers(detect, documents):
    """What is found for each document, and the processor seconds of the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        found = [detect(*document) for document in documents]
        best = min(best, time.process_time() - started)
    return found, best


def accuracies(found, labels):
    """Share of right answers for each language and for all, and share of no answer."""
    counts = Counter(labels)
    right = Counter(label for label, code in zip(labels, found, strict=True) if label == code)
    cells = [f"{right[label] / counts[label]:9.4f}" for label in sorted(counts)]
    none = found.count(UNKNOWN) / len(found)
    return "".join([*cells, f"{right.total() / counts.total():9.4f}", f"{none:9.4f}"])


def compare(name, documents, labels):
    """A line per side: accuracy, documents per second, and how many times langdetect's."""
    peers_seconds = None
    for side, detect in SIDES.items():
        found, seconds = answers(detect, documents)
        peers_seconds = peers_seconds or seconds
        speed = f"{len(documents) / seconds:11,.0f}{peers_seconds / seconds:8.1f}"
        print(f"{name:<22}{side:<19}{accuracies(found, labels)}{speed}")


def bodies(papers, language):
    """Long texts of the abstracts of one language, a paragraph each."""
    text = PARAGRAPH.join(paper["text"] for paper in papers if paper["lang"] == language)
    text *= 1 + BODY * BODIES // len(text)
    return [text[BODY * number : BODY * (number + 1)] for number in range(BODIES)]


def disputed(papers):
    """The papers whose label names a language of another script than that of the text."""
    script = {"zh": "han"}
    return [
        paper
        for paper in papers
        if words_of(paper["text"]).script != script.get(paper["lang"], "latin")
    ]


def main():
    if not POOL.is_file():
        sys.exit(f"no labelled texts at {POOL}; CORPUSFORGE_DATA names the folder of real files")
    with gzip.open(POOL, "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    DetectorFactory.seed = 0
    for detect in SIDES.values():  # models are loaded and kernels compiled before the clock starts
        detect("Malaria", papers[0]["text"], papers[0]["text"])
    labels = [paper["lang"] for paper in papers]
    print(f"{len(papers):,} abstracts: {dict(sorted(Counter(labels).items()))}; one thread")
    heads = "".join(f"{head:>9}" for head in (*sorted(set(labels)), "all", "none"))
    print(f"{'':<41}{heads}{'per s':>11}{'times':>8}")

    compare("title and abstract", [(paper["title"], paper["text"]) for paper in papers], labels)
    compare("abstract", [("", paper["text"]) for paper in papers], labels)
    for length in LENGTHS:
        cut = [("", paper["text"][:length]) for paper in papers]
        compare(f"{length} characters", cut, labels)
    titled = [paper for paper in papers if paper["title"]]
    compare("title", [(p["title"], "") for p in titled], [p["lang"] for p in titled])
    for language in sorted(set(labels)):
        texts = [("", paper["text"]) for paper in papers if paper["lang"] == language]
        compare(f"abstract, {language}", texts, [language] * len(texts))
    for language in sorted(set(labels)):
        documents = [("", "", body) for body in bodies(papers, language)]
        compare(f"body of {BODY:,}, {language}", documents, [language] * BODIES)

    doubtful = disputed(papers)
    print(f"label disputed: {len(doubtful)}, {[paper['id'] for paper in doubtful]}")


if __name__ == "__main__":
    main()
