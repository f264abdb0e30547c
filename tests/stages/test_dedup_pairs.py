"""Which documents become candidates for a key that they share, and in how much memory."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats.run import open_run, write_run
from corpusforge.kernels.evidence import Evidence
from corpusforge.pipeline.forecast import forecast
from corpusforge.stages import dedup_pairs
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.dedup_pairs import MOST_MET, MOST_SHARING, PAIR, pair
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.work import Task


def paired(folder, claims):
    """The tally, and the pairs by uid with their evidence, of (key, uid, near, evidence)."""
    keys = np.array([key for key, *_ in claims], np.uint64)
    records = np.zeros(len(claims), CLAIM)
    for name, column in zip(("uid", "near", "evidence"), (1, 2, 3), strict=True):
        into = records["member"] if name == "uid" else records
        into[name] = [claim[column] for claim in claims]
    records["member"]["address"] = records["member"]["uid"]
    write_run(folder / "claims" / "a.run", keys, records)
    return pairs_of(folder)


def pairs_of(folder):
    target = folder / "pairs.run"
    task = Task("all", (folder / "claims",), (target, folder / "wanted.run"), ("0", str(2**64)))
    counts = pair(task).counts
    pairs = open_run(target, PAIR).records
    found = {(int(p["a"]["uid"]), int(p["b"]["uid"])): int(p["evidence"]) for p in pairs}
    assert counts["candidates"] == len(pairs) == len(found)
    return counts, found


kinds = st.sampled_from([Evidence.NEAR, Evidence.IDENTIFIER, Evidence.EXACT])
listed = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12), st.integers(0, 3)), max_size=60)


@settings(max_examples=40)
@given(listed, st.dictionaries(st.integers(0, 5), kinds, min_size=6), st.integers(1, 20))
def test_all_documents_of_a_key_are_paired_once_however_claims_are_cut(
    tmp_path_factory, claims, kind, at_once
):
    once = sorted({(key, uid): near for key, uid, near in claims}.items())
    every = [(key, uid, near, kind[key]) for (key, uid), near in once]
    expected = {}
    for key in {key for key, *_ in every}:
        uids = [uid for k, uid, *_ in every if k == key]
        crowded = kind[key] is Evidence.IDENTIFIER and len(uids) > MOST_SHARING
        for ends in combinations(sorted(uids), 2):
            told = Evidence.DOUBTED if crowded else kind[key]
            expected[ends] = expected.get(ends, 0) | int(told)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup_pairs, "CLAIMS_AT_ONCE", at_once)
        _, found = paired(tmp_path_factory.mktemp("pairs"), every)
    assert found == expected


def test_what_many_documents_share_is_counted_and_leaves_them_connected(tmp_path):
    many = 10 * MOST_MET
    counts, found = paired(tmp_path, [(7, uid, 0, Evidence.NEAR) for uid in range(many)])
    assert counts["hot_keys"] == 1
    assert counts["pairs_left_out"] == many * (many - 1) // 2 - len(found)
    assert {uid for ends in found if 0 in ends for uid in ends} == set(range(many))


@pytest.mark.parametrize("copies", [5000, 1])
def test_a_task_takes_no_more_memory_than_the_plan_says(tmp_path, copies):
    """Copies share all their keys, so that each two of them are paired under every one."""
    documents, config = 5000, DedupConfig()
    keys = np.repeat(np.arange(config.bands, dtype=np.uint64) << np.uint64(50), documents)
    uids = np.tile(np.arange(documents, dtype=np.uint64), config.bands)
    records = np.zeros(len(keys), CLAIM)
    records["member"]["uid"] = records["member"]["address"] = uids
    records["evidence"] = Evidence.NEAR
    write_run(tmp_path / "claims" / "a.run", keys + uids // np.uint64(copies), records)
    paired(tmp_path / "warm", [(1, 1, 0, 2), (1, 2, 0, 2)])  # compiles
    tracemalloc.start()
    pairs_of(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    said = forecast(config, documents, documents * 1000)
    plain = said.task - forecast(config, 0, 0).task
    assert peak < plain + 5 * documents * said.pair * (copies > 1) + 40e6
