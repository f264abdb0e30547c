"""Tables of what dedup did."""

from collections import Counter
from dataclasses import replace

import pytest
from corpora import (
    COPIED,
    IMITATED,
    PUBMED_SOURCE,
    finish,
    paper,
    pubmed_file,
    write_corpus,
    write_file,
    write_pipeline,
)

from corpusforge.api import Corpus
from corpusforge.errors import ConfigError
from corpusforge.pipeline.copies import cluster_sizes, source_losses
from corpusforge.pipeline.plan import open_plan


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """Source one has papers 1 to 9; source two has 1 to 3 again, and 1 twice."""
    folder = tmp_path_factory.mktemp("crowded")
    papers = [paper(number) for number in range(1, 10)]
    copies = [replace(papers[i], key=str(100 + n)) for n, i in enumerate((0, 0, 1, 2))]
    sources = {}
    for name, records in {"one": papers, "two": copies}.items():
        write_file(folder / "sources" / name / "pubmed.xml.gz", pubmed_file(records))
        sources[name] = PUBMED_SOURCE | {"folder": f"sources/{name}"}
    return finish(write_pipeline(folder, sources), until="dedup")


def test_clusters_stand_with_the_largest_first_and_single_documents_left_out(crowded):
    rows = cluster_sizes(crowded).to_pylist()
    assert [(row["documents"], row["kept"], row["removed"]) for row in rows] == [
        (3, 1, 2),
        (2, 1, 1),
        (2, 1, 1),
    ]
    removed = Counter(Corpus(crowded).clusters()["kept"].to_pylist())
    assert {row["doc_id"]: row["removed"] for row in rows} == removed


def test_the_kept_document_of_a_cluster_is_named(finished):
    assert cluster_sizes(finished)["doc_id"].to_pylist() == [COPIED, IMITATED]


def test_the_losses_of_the_sources_add_up_to_all_that_was_removed(crowded):
    losses = source_losses(crowded)
    assert losses["source"].to_pylist() == ["one", "two"]
    assert losses["documents"].to_pylist() == [9, 4]
    assert sum(losses["removed"].to_pylist()) == Corpus(crowded).clusters().num_rows == 4


@pytest.mark.parametrize("ask", [cluster_sizes, source_losses])
def test_before_dedup_is_done_there_is_nothing_to_tell(ask, tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    with pytest.raises(ConfigError, match="dedup is not done; `corpusforge run PIPELINE --until"):
        ask(plan)
