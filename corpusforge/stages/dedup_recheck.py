"""Which documents of a cluster must be compared yet: the recheck task of dedup.

Pairs are candidates for a key that they share, and of a key that many share only some are. So a
first choice may keep several documents of a cluster that are one, and their copies with them:

* those that it keeps were no candidates of each other;
* the best of a thousand copies was compared with a few of them only;
* c shares an identifier with b alone, which goes for a.

A pair more for each of these; every one is verified on the texts as any other.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.kernels.evidence import Evidence
from corpusforge.stages.dedup_choice import Choice, chosen
from corpusforge.stages.dedup_pairs import PAIR, distinct_pairs, pair_keys
from corpusforge.stages.dedup_places import Places
from corpusforge.stages.dedup_verify import EDGE
from corpusforge.work import Tally, Task

HUBS = 8  # best documents of a cluster, of those kept, that are compared with all its members
MOST_RECHECKED = 64  # documents kept of a cluster that are compared with each other
NAMED = Evidence.IDENTIFIER | Evidence.DOUBTED
Ends = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]  # two nodes, and evidence


def recheck(task: Task, places: Places, keep: tuple[str, ...]) -> Tally:
    """Pairs of documents in clusters of which a first choice keeps several.

    They are fewer than 40 for each document of such a cluster, and 3 for each pair of copies that
    share an identifier: linear in both, however large a cluster is.
    """
    edges = gather(runs_in(task.sources[0]), EDGE, 0, 2**64).records
    named = edges["evidence"].astype(np.int64) & int(NAMED)
    choice = chosen(edges, places, keep)
    pairs = distinct_pairs(
        np.concatenate(
            [
                _pairs_of(choice, _without_known(choice, _beside_the_best(choice))),
                _pairs_of(choice, _inherited(choice, named)),
            ]
        )
    )
    write_run(task.targets[0], pair_keys(pairs), pairs)
    return Tally(counts={"pairs_rechecked": len(pairs)})


def _beside_the_best(choice: Choice) -> Ends:
    """The best kept documents of a cluster with all its members, and the kept ones with another."""
    stays = choice.kept == np.arange(len(choice.uids))
    several = np.bincount(choice.component, stays, len(choice.uids)) > 1
    members = choice.order[several[choice.component[choice.order]]]
    members = members[np.argsort(choice.component[members], kind="stable")]
    groups = np.split(members, np.flatnonzero(np.diff(choice.component[members])) + 1)
    left, right = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for group in groups:
        kept = group[stays[group]][:MOST_RECHECKED]
        one, other = np.triu_indices(len(kept), 1)
        hubs = kept[:HUBS]
        left += [kept[one], np.repeat(hubs, len(group))]
        right += [kept[other], np.tile(group, len(hubs))]
    one, other = np.concatenate(left), np.concatenate(right)
    return one, other, np.zeros(len(one), np.int64)


def _without_known(choice: Choice, ends: Ends) -> Ends:
    """Without those that are an edge already."""
    nodes, (one, other, evidence) = len(choice.uids), ends
    known = _numbers(choice.left, choice.right, nodes)
    new = ~np.isin(_numbers(one, other, nodes), known)
    return one[new], other[new], evidence[new]


def _inherited(choice: Choice, evidence: NDArray[np.int64]) -> Ends:
    """A document stands for the copies that go for it: their identifiers are evidence for it."""
    named = (evidence > 0) & (choice.kept[choice.left] != choice.kept[choice.right])
    left, right = choice.left[named], choice.right[named]
    for_left, for_right = choice.kept[left], choice.kept[right]
    return (
        np.concatenate([for_left, for_left, left]),
        np.concatenate([for_right, right, for_right]),
        np.tile(evidence[named], 3),
    )


def _pairs_of(choice: Choice, ends: Ends) -> NDArray[np.void]:
    """Pairs of different nodes; nodes are in the order in which a pair has its documents."""
    one, other, evidence = ends
    pairs = np.zeros(len(one), PAIR)
    for end, nodes in (("a", np.minimum(one, other)), ("b", np.maximum(one, other))):
        pairs[end]["uid"], pairs[end]["address"] = choice.uids[nodes], choice.addresses[nodes]
    pairs["evidence"] = evidence
    return pairs[one != other]


def _numbers(one: NDArray[np.int64], other: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """A number for each pair of nodes, whichever comes first."""
    return np.minimum(one, other) * nodes + np.maximum(one, other)
