"""Which documents of a cluster dedup compares after a first choice, and what comes of it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from corpora import prose
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusforge.formats.run import open_run
from corpusforge.kernels.evidence import Evidence, Limits, Rule
from corpusforge.stages import dedup_recheck
from corpusforge.stages.dedup_choice import Choice
from corpusforge.stages.dedup_pairs import MOST_MET, PAIR
from corpusforge.stages.dedup_recheck import HUBS, MOST_RECHECKED, recheck
from corpusforge.stages.dedup_verify import EDGE
from corpusforge.work import Task
from stages.folders import rejects_of
from stages.test_dedup_decontamination import LONG, planted, wanting
from stages.test_dedup_decontamination import run as contaminated
from stages.test_dedup_evidence import ABSTRACT, REWRITTEN, deduplicated, document

COPIES = 120  # more than give all their pairs


@pytest.mark.parametrize("better", ["newer", "longer"])
def test_of_a_text_with_many_copies_the_best_stays_alone(tmp_path, better):
    assert COPIES > 3 * MOST_MET
    told = {
        "newer": lambda i: {"year": 1900 + i * 37 % 101},
        "longer": lambda i: {"text": ABSTRACT + "." * (i * 37 % 101)},
    }[better]
    copies = [document(f"s:{i}", **told(i)) for i in range(COPIES)]
    kept, removed = deduplicated(tmp_path, *copies)
    assert len(kept) == 1
    assert len(removed) == COPIES - 1
    assert {reason for _, reason in removed.values()} == {"exact_duplicate"}


def test_of_many_near_copies_the_best_stays_alone(tmp_path):
    words = prose("long", sentences=40).split()
    copies = [
        document(f"s:{i}", " ".join([*words[: i + 5], f"w{i}", *words[i + 6 :]]), year=2000 + i % 7)
        for i in range(COPIES)
    ]
    kept, removed = deduplicated(tmp_path, *copies)
    assert len(kept) == 1
    assert {reason for _, reason in removed.values()} == {"near_duplicate"}


def test_documents_that_resemble_a_third_and_were_no_candidates_are_compared_as_well(tmp_path):
    """a and c share an identifier with b each, and no key with each other."""
    longest = document("b:2", f"{ABSTRACT} {REWRITTEN}", doi="10.1000/x", pmid="7")
    one, other = document("a:1", doi="10.1000/x"), document("c:3", REWRITTEN, pmid="7")
    kept, removed = deduplicated(tmp_path, one, longest, other, limits=Limits(containment=1.0))
    assert set(kept) == {"b:2"}
    assert set(removed) == {"a:1", "c:3"}


BORN = {"doi": "10.1/x", "year": 2005}


def test_the_identifiers_of_a_removed_copy_still_find_its_versions(tmp_path):
    """b goes for a, whose words are the same, and c shares a DOI with b alone."""
    best, named = document("a:1", f"{ABSTRACT} !", year=2005), document("b:2", ABSTRACT, **BORN)
    version = document("c:3", " ".join(REWRITTEN.split()[:60]), **BORN)
    kept, removed = deduplicated(tmp_path, best, named, version)
    assert (set(kept), set(removed)) == ({"a:1"}, {"b:2", "c:3"})
    assert removed["c:3"] == ("a:1", "same_identifier")


def test_an_inherited_identifier_that_the_texts_do_not_bear_out_removes_nothing(tmp_path):
    """b has the words of a and those of c; a and c share an identifier with it and no words."""
    other = prose("other", sentences=12)
    best = document("a:1", f"{ABSTRACT} {prose('more', sentences=16)}", doi="10.1/y")
    both = document("b:2", f"{ABSTRACT} {other[:200]}", doi="10.1/x", pmid="7", arxiv="1702.01819")
    kept, removed = deduplicated(
        tmp_path, best | {"pmid": "7"}, both, document("c:3", other, arxiv="1702.01819")
    )
    assert set(removed) == {"b:2"}
    assert set(kept) == {"a:1", "c:3"}


def test_many_copies_of_a_contaminated_text_do_not_make_its_item_a_common_phrase(tmp_path):
    name, text = planted("leak", LONG)
    copies = [(f"{name}-{i}", text + "." * (i * 37 % 101)) for i in range(COPIES)]
    _, out = contaminated(tmp_path, [copies], wanting())
    reasons = [row["reason"] for row in rejects_of(out)]
    assert sorted(set(reasons)) == ["contaminated", "exact_duplicate"]
    assert len(reasons) == COPIES


# --- which pairs, of any clusters


@st.composite
def choices(draw):
    """Clusters with a first choice: every node is kept, or goes for a kept one of its cluster."""
    nodes = draw(st.integers(1, 24))
    random = draw(st.randoms(use_true_random=False))
    component = np.array([random.choice([0, 0, 0, n // 2 * 2]) for n in range(nodes)])
    component = np.minimum(component, np.arange(nodes))
    component = np.array([n if component[c] != c else c for n, c in enumerate(component)])
    kept = np.arange(nodes)
    stays = [random.random() < 0.5 or component[n] == n for n in range(nodes)]
    for n in range(nodes):
        if not stays[n]:
            same = [m for m in range(nodes) if component[m] == component[n] and stays[m]]
            kept[n] = random.choice(same)
    order = np.array(random.sample(range(nodes), nodes))
    inside = [(a, b) for a in range(nodes) for b in range(a + 1, nodes)
              if component[a] == component[b]]  # fmt: skip
    ends = [pair for pair in inside if random.random() < 0.3]
    left, right = (np.array(side, np.int64) for side in zip(*ends, strict=True)) if ends else (
        np.empty(0, np.int64), np.empty(0, np.int64))  # fmt: skip
    named = np.array(
        [random.choice([0, 0, Evidence.IDENTIFIER, Evidence.DOUBTED]) for _ in ends], np.int64
    )
    uids = np.sort(np.array(random.sample(range(1000), nodes), np.uint64))
    addresses = np.array(random.sample(range(1000), nodes), np.uint64)
    deciding = np.full(nodes, -1)
    return Choice(uids, addresses, left, right, component, order, kept, deciding), named


def textbook(choice, named):
    """The pairs by their definition, with the evidence that they have."""
    nodes = range(len(choice.uids))
    best_first = [int(node) for node in choice.order]
    edges = {(int(a), int(b)) for a, b in zip(choice.left, choice.right, strict=True)}
    found = {}
    for cluster in set(choice.component.tolist()):
        members = [n for n in best_first if choice.component[n] == cluster]
        kept = [n for n in members if choice.kept[n] == n]
        if len(kept) > 1:
            wanted = [(h, m) for h in kept[:HUBS] for m in members]
            wanted += [(a, b) for a in kept[:MOST_RECHECKED] for b in kept[:MOST_RECHECKED]]
            pairs = {(min(p), max(p)) for p in wanted if p[0] != p[1]}
            found |= dict.fromkeys(pairs - edges, 0)
    for a, b, evidence in zip(choice.left, choice.right, named, strict=True):
        one, other = int(choice.kept[a]), int(choice.kept[b])
        if evidence and one != other:
            for pair in {(one, other), (one, int(b)), (int(a), other)}:
                if pair[0] != pair[1]:
                    ends = (min(pair), max(pair))
                    found[ends] = found.get(ends, 0) | int(evidence)
    assert all(a in nodes and b in nodes for a, b in found)
    return found


@settings(max_examples=60)
@given(choices())
def test_the_pairs_are_those_of_the_textbook_and_no_more_than_linear(given_choice):
    choice, named = given_choice
    edges = np.zeros(len(named), EDGE)
    edges["evidence"] = named
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup_recheck, "gather", lambda *_: type("Run", (), {"records": edges}))
        patch.setattr(dedup_recheck, "chosen", lambda *_: choice)
        task = Task("all", (Path(folder),), (Path(folder) / "pairs.run",))
        tally = recheck(task, None, ())
        pairs = np.array(open_run(task.targets[0], PAIR).records)
    number = {int(uid): node for node, uid in enumerate(choice.uids)}
    found = {(number[int(p["a"]["uid"])], number[int(p["b"]["uid"])]): int(p["evidence"])
             for p in pairs}  # fmt: skip
    assert found == textbook(choice, named)
    assert tally.counts["pairs_rechecked"] == len(pairs) == len(found)
    assert all(choice.addresses[number[int(p[e]["uid"])]] == p[e]["address"]
               for p in pairs for e in "ab")  # fmt: skip


def test_a_large_cluster_gives_a_number_of_pairs_that_grows_with_it_alone(tmp_path):
    """A star of which no ray goes for the hub: all stay, and each is compared with the best."""
    rays = 2000
    edges = np.zeros(rays, EDGE)
    edges["b"]["uid"] = edges["b"]["address"] = np.arange(1, rays + 1)
    edges["rule"], edges["removable"] = Rule.CONTAINED, 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dedup_recheck, "gather", lambda *_: type("Run", (), {"records": edges}))
        patch.setattr("corpusforge.stages.dedup_choice._best_first", lambda at, *_: np.argsort(at))
        made = recheck(Task("all", (tmp_path,), (tmp_path / "pairs.run",)), None, ())
    most = HUBS * (rays + 1) + MOST_RECHECKED**2 // 2
    assert (HUBS - 1) * rays / 2 < made.counts["pairs_rechecked"] <= most
