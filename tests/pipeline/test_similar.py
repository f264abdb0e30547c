"""Which documents an index says are like a text."""

import numpy as np
import pyarrow as pa
import pytest
from corpora import COPIED, EXACT_COPY, IMITATED, NEAR_COPY, prose, write_corpus
from datasketch import MinHash

from corpusforge.api import Corpus
from corpusforge.errors import ConfigError
from corpusforge.kernels.shingles import letter_table, shingle_sets
from corpusforge.pipeline import similar
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.similar import Signer, index_documents
from corpusforge.stages.dedup import DedupConfig
from corpusforge.tables.text import text_buffers


@pytest.fixture(scope="module")
def index(finished):
    return index_documents(finished)


@pytest.fixture(scope="module")
def texts(finished):
    table = Corpus(finished).table("clean", ["doc_id", "text"])
    return dict(zip(table["doc_id"].to_pylist(), table["text"].to_pylist(), strict=True))


def shingles(text):
    column = pa.array([text], pa.large_string())
    return shingle_sets(*text_buffers(column), letter_table(), 5)[1].tolist()


def peer(text):
    """The text as somebody signs it who has our shingles and `datasketch` alone."""
    minhash = MinHash(num_perm=120, seed=1, scheme="affine32", hashfunc=int)
    minhash.update_batch(shingles(text))
    return minhash


def test_a_signature_of_ours_is_the_one_that_datasketch_makes():
    signer = Signer.of(DedupConfig(bands=20, rows=6, seed=1))
    for text in (prose("one"), "two words", ""):
        [signature] = signer.sign(pa.array([text], pa.large_string()))
        ours, theirs = signer.minhash(signature), peer(text)
        assert ours == theirs
        assert np.array_equal(ours.permutations, theirs.permutations)


def test_the_index_answers_a_query_of_datasketch(index, texts):
    rows = index.bands.query(peer(texts[NEAR_COPY]))
    assert sorted(index.names["doc_id"].take(rows).to_pylist()) == [IMITATED, NEAR_COPY]


def test_every_document_is_found_by_its_own_text(index, texts):
    for doc_id, text in texts.items():
        found = index.similar(text, count=50)
        assert doc_id in [match.doc_id for match in found if match.similarity == 1.0]


def test_a_text_is_repaired_before_it_is_asked_for_as_documents_are(index, texts):
    """Accents as characters of their own, damaged encoding and entities are no other words."""
    for doc_id in (COPIED, IMITATED):
        damaged = texts[doc_id].replace(" the ", " t\u00adhe ").replace(", ", "&#44; ")
        assert damaged != texts[doc_id]
        assert index.similar(damaged, 5) == index.similar(texts[doc_id], 5)


def test_the_most_similar_come_first_and_the_smaller_doc_id_of_equals(index, texts):
    assert [m.doc_id for m in index.similar(texts[EXACT_COPY], 5)] == [COPIED, EXACT_COPY]
    near, whole = index.similar(texts[NEAR_COPY], 5)
    assert (near.doc_id, whole.doc_id) == (NEAR_COPY, IMITATED)
    assert near.similarity > whole.similarity


def test_the_similarity_is_an_estimate_of_the_jaccard_similarity(index, texts):
    one, other = set(shingles(texts[NEAR_COPY])), set(shingles(texts[IMITATED]))
    exact = len(one & other) / len(one | other)
    estimate = index.similar(texts[NEAR_COPY], 5)[1].similarity
    assert estimate == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 120))


@pytest.mark.parametrize("text", ["", "... !", prose("like nothing else")])
def test_a_text_that_nothing_resembles_has_no_match(index, text):
    assert index.similar(text, 10) == []


def test_no_more_are_told_than_asked_for(index, texts):
    assert [len(index.similar(texts[EXACT_COPY], count)) for count in (0, 1, 2, 9)] == [0, 1, 2, 2]


def test_before_clean_is_done_nothing_can_be_similar(tmp_path):
    plan = open_plan(write_corpus(tmp_path, documents=5))
    with pytest.raises(ConfigError, match="clean has written no table; `corpusforge run PIPELINE"):
        index_documents(plan)


def test_more_documents_than_fit_in_memory_are_refused(finished, texts, monkeypatch):
    monkeypatch.setattr(similar, "MOST_DOCUMENTS", 10)
    with pytest.raises(ConfigError, match=f"clean has {len(texts)} documents, more than the 10 "):
        index_documents(finished)
