"""T25: a document is in the same language wherever, after whatever and beside whatever it is read.

A published pipeline asked a detector that draws numbers, without a seed: 96 times of 100 a text was
English, and 4 times German.
"""

import json
import random
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import pytest
from corpora import GERMAN_TEXT, finish, prose, write_file, write_pipeline
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.executors.clusters import open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.pipeline.config import ClusterConfig
from stages.folders import rejects_of, table_of

SOURCE = {"lines": {"kind": "core-2018", "folder": "lines", "files": "*.jsonl"}}
NO_LIMITS = {"languages": [], "quality": "forge"}
COUNT = 60


def texts():
    """Whole texts, mixtures of two languages, and words of which nobody can be certain."""
    german, draw = GERMAN_TEXT.split(), random.Random(25)
    for number in range(COUNT):
        english = prose(f"language {number}").split()
        share = number / (COUNT - 1)
        if number % 3:
            yield " ".join(draw.choices(german, k=40) if share > 0.5 else english)
        else:
            both = draw.choices(german, k=round(40 * share))
            yield " ".join(both + english[: round(40 * (1 - share))])


RECORDS = [
    json.dumps({"coreId": str(number), "title": "SPSS", "abstract": text})
    for number, text in enumerate(texts(), start=1)
]


def languages(folder, files, executor=None):
    """What clean says of these files, which are lists of places in RECORDS, by document."""
    for i, file in enumerate(files):
        content = "".join(RECORDS[place] + "\n" for place in file)
        write_file(folder / "lines" / f"{i:03d}.jsonl", content.encode())
    plan = finish(write_pipeline(folder, SOURCE, {"clean": NO_LIMITS}), executor, until="clean")
    made = plan.step("clean").folder
    kept = {r["doc_id"]: (r["language"], r["language_probability"]) for r in table_of(made)}
    lost = {row["doc_id"]: (row["reason"], row["observed"]) for row in rejects_of(made)}
    assert len(kept) + len(lost) == COUNT
    return kept | lost


def parts(places, cuts):
    """A list cut in pieces, some of them empty."""
    bounds = [0, *sorted(cuts), len(places)]
    return [places[start:end] for start, end in pairwise(bounds)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    found = languages(tmp_path_factory.mktemp("expected"), [list(range(COUNT))])
    assert {language for language, _ in found.values()} >= {"en", "de"}
    assert len({probability for _, probability in found.values()}) > COUNT // 4
    return found


@settings(max_examples=8)
@given(st.permutations(range(COUNT)), st.lists(st.integers(0, COUNT), max_size=5))
def test_order_and_partitions_do_not_matter(expected, places, cuts):
    with TemporaryDirectory() as folder:
        assert languages(Path(folder), parts(places, cuts)) == expected


@pytest.mark.cluster
@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_does_not_matter(tmp_path, expected, workers):
    """Each worker is a process of its own, with another hash seed."""
    cluster = ClusterConfig(workers=workers, dashboard=0, memory="1GB")
    files = parts(list(reversed(range(COUNT))), range(7, COUNT, 7))
    with open_client(cluster, Path()) as client:
        assert languages(tmp_path, files, DaskExecutor(client, Event())) == expected
