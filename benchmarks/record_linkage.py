"""Bibliographic records of DBLP and ACM: which are one publication, told from their fields alone.

Both sides get the same 12,363 labelled pairs. In the dirty ones a value may stand in any field:
where a field is empty, ours compares the words of all fields as one text. `bib-dedupe` runs as its
manual says: prep, block, match; what it calls duplicates counts, and then also what it calls maybe.
"""

import re
import time

import numpy as np
from cluster_scores import of_decisions
from labelled_copies import bibliographic_pairs

from corpusforge.kernels.bibliography import years_agree
from corpusforge.kernels.titles import title_likeness

FIELDS = ("title", "authors", "venue", "year")
TITLE, WHOLE = 0.8, 0.65  # how alike titles, or whole records, must be
YEAR = re.compile(r"\b((?:19|20)\d\d)(?:\.0)?\b")


def linked(one, other):
    """Whether two records are of one publication.

    Two published records of one title but of different years are two publications.
    """
    wholes = [" ".join(record[field] for field in FIELDS) for record in (one, other)]
    years = [int(found[-1]) if (found := YEAR.findall(whole)) else None for whole in wholes]
    if not years_agree(*years, apart=0):
        return False
    if all(record[field] for record in (one, other) for field in FIELDS):
        return title_likeness(one["title"], other["title"]) >= TITLE
    return title_likeness(*(YEAR.sub("", whole) for whole in wholes)) >= WHOLE


def with_bib_dedupe(pairs):
    """Its answers for the same pairs; None where it is not installed."""
    try:
        import pandas as pd  # noqa: PLC0415  (part of an optional peer)
        from bib_dedupe.bib_dedupe import block, match, prep  # noqa: PLC0415
    except ImportError:
        return None
    numbers, records = {}, []
    for pair in pairs:
        for side, record in enumerate(pair):
            key = (side, *record.values())
            if key not in numbers:
                numbers[key] = str(len(records))
                authors = " and ".join(name.strip() for name in record["authors"].split(","))
                records.append({
                    "ID": numbers[key], "ENTRYTYPE": "article", "title": record["title"],
                    "author": authors, "journal": record["venue"],
                    "year": record["year"].removesuffix(".0"),
                })  # fmt: skip
    prepared = prep(pd.DataFrame(records), verbosity_level=0, cpu=1)
    matched = match(block(prepared, verbosity_level=0, cpu=1), verbosity_level=0, cpu=1)
    answers = {}
    for label in ("duplicate", "maybe"):
        said = matched[matched["duplicate_label"] == label]
        answers |= {frozenset(ids): label for ids in zip(said["ID_1"], said["ID_2"], strict=True)}
    asked = [[numbers[side, *record.values()] for side, record in enumerate(p)] for p in pairs]
    return np.array([answers.get(frozenset(ids), "no") for ids in asked])


def print_record_linkage():
    """Labelled pairs of bibliographic records, nothing trained."""
    for kind in ("Structured", "Dirty"):
        *pairs, labels = zip(*bibliographic_pairs(kind), strict=True)
        pairs, labels = list(zip(*pairs, strict=True)), np.array(labels)
        started = time.perf_counter()
        ours = np.array([linked(*pair) for pair in pairs])
        seconds = time.perf_counter() - started
        print(f"{kind:<11} ours        {of_decisions(ours, labels)}  {seconds:6.1f} s")
        started = time.perf_counter()
        theirs = with_bib_dedupe(pairs)
        seconds = time.perf_counter() - started
        if theirs is None:
            print(f"{'':<11} bib-dedupe is not installed: pip install bib-dedupe")
        else:
            for name, said in (("bib-dedupe", ["duplicate"]), ("or maybe", ["duplicate", "maybe"])):
                told = of_decisions(np.isin(theirs, said), labels)
                print(f"{'':<11} {name:<11} {told}  {seconds:6.1f} s")
