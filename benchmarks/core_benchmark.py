"""CORE's labelled scholarly duplicates of 2020 (100,000 records): our dedup under their protocol.

The file is `pinecone/core-2020-05-10-deduplication` on the Hugging Face Hub, as JSON lines or
Parquet. Of each record count `core_id`, `processed_title`, `processed_abstract` and
`labelled_duplicates`, the core_ids of the others that are the same paper. The text is title and
abstract in small letters; a record's answer is the rest of its cluster.

An answer counts as found only if all true duplicates are in it. What is published as the "macro F1"
of this benchmark is the mean of two precisions; that and the true one are printed here.

    python benchmarks/core_benchmark.py FILE [words=5 bands=20 rows=6 similarity=0.8 ...]
    python benchmarks/core_benchmark.py synthetic [words=2 ...]
"""

import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec
import pyarrow.parquet as pq
from small_corpus import Document, How, find_copies

from corpusforge.kernels.evidence import Limits
from corpusforge.sources.streams import read_stream

COLUMNS = ("core_id", "processed_title", "processed_abstract", "labelled_duplicates")
SYLLABLES = ("ta", "ri", "mo", "ne", "ku", "sol", "ver", "pha", "lin", "do", "gra", "ci")


@dataclass(frozen=True)
class Record:
    """One row: what is read of it, and which other records are the same paper."""

    core_id: str
    text: str
    duplicates: frozenset[str]


@dataclass(frozen=True)
class CoreScores:
    """Shares of the 2020 protocol, 0..1."""

    duplicate_precision: float
    duplicate_recall: float
    other_precision: float  # of records without a duplicate
    other_recall: float
    accuracy: float  # records whose answer is exactly the truth

    @property
    def mean_precision(self):
        """What is published as "macro F1"."""
        return (self.duplicate_precision + self.other_precision) / 2

    @property
    def macro_f1(self):
        return (
            _f1(self.duplicate_precision, self.duplicate_recall)
            + _f1(self.other_precision, self.other_recall)
        ) / 2


def load(path):
    """The rows of a file, JSON lines or Parquet."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    whole = b"".join(read_stream(path))
    return [json.loads(line) for line in whole.split(b"\n") if line.strip()]


def records_of(rows, name):
    """The records of the rows of a file of this name.

    Raises:
        ValueError: A column is missing.
    """
    if missing := [column for column in COLUMNS if rows and column not in rows[0]]:
        raise ValueError(
            f"{name} has no column {missing[0]!r} but {', '.join(rows[0])}; expected the files of "
            f"core-2020-05-10-deduplication"
        )
    return [
        Record(
            str(row["core_id"]),
            f"{row['processed_title'] or ''} {row['processed_abstract'] or ''}".lower(),
            frozenset(_ids(row["labelled_duplicates"])),
        )
        for row in rows
    ]


def _ids(told):
    """Ids given as a list, or as the text of one."""
    return re.findall(r"\d+", told) if isinstance(told, str) else map(str, told or ())


def answers(records, how):
    """For each record the ids of the others in its cluster."""
    found = find_copies([Document(record.text) for record in records], how)
    members = defaultdict(set)
    for record, cluster in zip(records, found.clusters, strict=True):
        members[cluster].add(record.core_id)
    return [
        members[cluster] - {record.core_id}
        for record, cluster in zip(records, found.clusters, strict=True)
    ]


def score(records, answered):
    """The scores of answers, one set of ids for each record."""
    counts = {"TP": 0, "FP": 0, "TN": 0, "FN": 0}
    exact = 0
    for record, answer in zip(records, answered, strict=True):
        exact += answer == record.duplicates
        if not answer:
            counts["FN" if record.duplicates else "TN"] += 1
        else:  # half of the duplicates is a wrong answer, not a missing one
            found = record.duplicates and record.duplicates <= answer
            counts["TP" if found else "FP"] += 1
    tp, fp, tn, fn = counts.values()
    return CoreScores(
        _share(tp, tp + fp), _share(tp, tp + fn), _share(tn, tn + fn), _share(tn, tn + fp),
        _share(exact, len(records)),
    )  # fmt: skip


def _share(part, whole):
    return part / whole if whole else 0.0


def _f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def synthetic(papers, seed=1):
    """Rows with the columns of the file: of three papers one has copies and one edited copies.

    Of an edited copy up to a twelfth of the words are others, or its end is missing.
    """
    random = Random(seed)
    words = ["".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(3000)]
    rows = []
    for paper in range(papers):
        title = random.choices(words, k=random.randint(5, 14))
        abstract = random.choices(words, k=random.randint(60, 250))
        cat = ("exact_dup", "near_exact", "non_dup")[paper % 3]
        copies = 1 if cat == "non_dup" else random.randint(2, 4)
        ids = [str(1000 + len(rows) + copy) for copy in range(copies)]
        for copy, core_id in enumerate(ids):
            told = abstract
            if cat == "near_exact" and copy:
                share = random.choice((0.005, 0.02, 0.04, 0.08))
                told = [random.choice(words) if random.random() < share else w for w in abstract]
                told = told[: random.choice((len(told), len(told), len(told) // 2))]
            rows.append({
                "core_id": core_id, "doi": f"10.5555/{core_id}", "cat": cat,
                "processed_title": " ".join(title), "processed_abstract": " ".join(told),
                "labelled_duplicates": [other for other in ids if other != core_id],
            })  # fmt: skip
    random.shuffle(rows)
    return rows


def print_scores(scores):
    print(f"duplicates      P {scores.duplicate_precision:.4f}  R {scores.duplicate_recall:.4f}")
    print(f"others          P {scores.other_precision:.4f}  R {scores.other_recall:.4f}")
    print(f"mean precision  {scores.mean_precision:.4f}  (published as macro F1)")
    print(f"true macro F1   {scores.macro_f1:.4f}")
    print(f"accuracy        {scores.accuracy:.4f}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    given = dict(argument.split("=", 1) for argument in sys.argv[2:])
    limits = {name: given.pop(name) for name in Limits.__struct_fields__ if name in given}
    how = How(
        **{name: int(value) for name, value in given.items()},
        limits=msgspec.convert(limits, Limits, strict=False),
    )
    rows = synthetic(3000) if sys.argv[1] == "synthetic" else load(Path(sys.argv[1]))
    records = records_of(rows, sys.argv[1])
    print(f"{len(records):,} records, {how}")
    print_scores(score(records, answers(records, how)))


if __name__ == "__main__":
    main()
