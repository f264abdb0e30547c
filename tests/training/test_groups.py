"""Which kind of text a target is from."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_shards import lay_shard

from corpusforge.errors import FormatError
from corpusforge.training.data import windows_of
from corpusforge.training.groups import COLUMNS, groups_of

LENGTH = 5


def lay_corpus(folder, shards):
    """Shards of documents given as (source, tokens); the number of a document is all its ids."""
    prefixes, number = [], 0
    for j, documents in enumerate(shards):
        prefix = Path(folder) / f"valid-{j:05d}"
        ids = [[number + i] * tokens for i, (_, tokens) in enumerate(documents)]
        prefixes.append(lay_shard(prefix, ids, "<i4"))
        sources = [source for source, _ in documents]
        table = pa.table({"source": pa.array(sources, pa.string()), "start": sources})
        pq.write_table(table, f"{prefix}.parquet")
        number += len(documents)
    return prefixes


shard = st.lists(
    st.tuples(st.sampled_from(["pubmed", "pmc", None]), st.integers(1, 9)), max_size=9
).filter(lambda documents: not documents or sum(n for _, n in documents) > LENGTH)


@settings(max_examples=50)
@given(st.lists(shard, min_size=1, max_size=4).filter(any), st.randoms())
def test_a_target_is_of_the_kind_of_the_document_that_it_is_a_token_of(shards, random):
    sources = [source for documents in shards for source, _ in documents]
    with tempfile.TemporaryDirectory() as folder:
        windows = windows_of(lay_corpus(folder, shards), LENGTH)
        chosen = np.array(random.sample(range(len(windows)), random.randint(1, len(windows))))
        groups = groups_of(windows, chosen)
        starts = windows.starts(chosen)
        targets = np.empty((len(chosen), LENGTH), windows.tokens.dtype)
        windows.tokens.read(starts + 1, targets)
    place = COLUMNS.index("source")
    found = [[groups.kinds[code][place] for code in row] for row in groups.of_targets]
    assert found == [[sources[document] for document in row] for row in targets.tolist()]
    assert len(set(groups.kinds)) == len(groups.kinds)


def test_shards_without_provenance_are_of_one_kind(tmp_path):
    prefixes = [lay_shard(tmp_path / f"valid-{j}", [[1] * 9, [2] * 9]) for j in range(2)]
    windows = windows_of(prefixes, LENGTH)
    groups = groups_of(windows, np.arange(len(windows)))
    assert groups.kinds == ((None,) * len(COLUMNS),)
    assert not groups.of_targets.any()
    assert groups.values("source") == {}


def test_provenance_with_too_few_rows_is_refused(tmp_path):
    [prefix] = lay_corpus(tmp_path, [[("pubmed", 4), ("pmc", 4)]])
    path = tmp_path / "valid-00000.parquet"
    pq.write_table(pq.read_table(path).slice(0, 1), path)
    windows = windows_of([prefix], LENGTH)
    with pytest.raises(FormatError, match=r"valid-00000.parquet has fewer rows than valid-00000"):
        groups_of(windows, np.arange(len(windows)))
