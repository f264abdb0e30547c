"""What dedup looks up in an index."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats.dedup_index import (
    gone_in,
    open_index,
    part_number,
    write_addresses,
)
from corpusforge.formats.run import Run, write_run
from corpusforge.kernels.lsh import candidate_pairs
from corpusforge.stages.dedup_forget import forget
from corpusforge.stages.dedup_recall import remembered
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.stages.stage import SCRATCH
from stages.months import months, run

# --- looking up


def claims_of(listed, first):
    """Claims of documents numbered from `first`, ordered as they are compared."""
    records = np.zeros(len(listed), CLAIM)
    keys = np.array([key for key, _ in listed], np.uint64)
    records["near"] = [near for _, near in listed]
    records["member"]["uid"] = np.arange(first, first + len(listed))
    records["member"]["address"] = records["member"]["uid"]
    order = np.lexsort((records["member"]["uid"], records["near"], keys))
    return Run(keys[order], records[order])


def claims_in_order(runs):
    records = np.concatenate([run.records for run in runs])
    keys = np.concatenate([run.keys for run in runs])
    order = np.lexsort((records["member"]["uid"], records["near"], keys))
    return Run(keys[order], records[order])


def mixed_pairs(runs, limits, new):
    """Pairs of a new document and an old one that a run over these claims makes."""
    whole = claims_in_order(runs)
    uids = whole.records["member"]["uid"].tolist()
    found = candidate_pairs(whole.keys, limits, 0, len(whole.keys))
    pairs = zip(*(side.tolist() for side in found), strict=True)
    pairs = [(uids[i], uids[j]) for i, j in pairs]
    return {(min(p), max(p)) for p in pairs if (p[0] in new) != (p[1] in new)}


claims = st.lists(st.tuples(st.sampled_from([0, 2**64 - 1]), st.integers(0, 9)), max_size=25)


@settings(max_examples=60, deadline=None)
@given(claims, st.lists(claims, max_size=3), st.integers(2, 6), st.sets(st.integers(100, 130)))
def test_looking_up_gives_the_pairs_that_a_run_over_all_claims_makes(news, olds, most, gone):
    new = claims_of(news, 0)
    old = [claims_of(listed, 100 * (1 + i)) for i, listed in enumerate(olds)]
    with TemporaryDirectory() as folder:
        for i, run in enumerate(old):
            write_run(Path(folder) / f"gen-00{i}" / "claims" / "a.run", run.keys, run.records)
        write_addresses(Path(folder) / "gone.run", np.array(sorted(gone), np.uint64))
        found = remembered(new, Path(folder), Path(folder) / "gone.run", most)
    uids = set(new.records["member"]["uid"].tolist())
    assert not gone & set(found.records["member"]["address"].tolist())
    limits = (most, most // 2)
    every = mixed_pairs([new, *old], limits, uids)
    # The first document of a key is paired with all others; where it is new, only with near ones.
    whole = claims_in_order([new, *old])
    _, first = np.unique(whole.keys, return_index=True)
    firsts = uids & set(whole.records["member"]["uid"][first].tolist())
    missed = {p for p in every - mixed_pairs([new, found], limits, uids) if not gone & set(p)}
    assert {min(p) for p in missed} <= firsts
    assert len(found.keys) <= len(new.keys) * (2 * most + 1) * len(old)


def test_scratch_tells_what_was_gone_when_the_run_began(tmp_path):
    months(tmp_path, [[("s:1", prose("one"))]])
    forget(open_index(tmp_path / "m0" / "dedup" / "index"), ["s:1"])
    _, out = run(tmp_path, "m1", [[("s:2", prose("two"))]], against="m0/dedup/index")
    settled = gone_in(out / SCRATCH)
    assert settled.tolist() == [part_number(0, 0) << 32]
