"""Which of the documents that are one stays: the choose task of dedup."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpusforge.formats.facts import ATTRIBUTES
from corpusforge.formats.run import gather, runs_in, write_run
from corpusforge.kernels.clusters import choose_kept, components
from corpusforge.kernels.evidence import Rule
from corpusforge.stages.dedup_direction import A_FOR_B, B_FOR_A
from corpusforge.stages.dedup_places import ROW, Places, indexed, locate
from corpusforge.stages.dedup_verify import EDGE
from corpusforge.work import Tally, Task

DECISION = np.dtype(
    [
        ("row", "<u4"),
        ("rule", "<u4"),  # 0 if it stays
        ("cluster", "<u8"),  # smallest uid of the component
        ("kept", "<u8"),  # address of the document kept in its place; its own if it stays
        ("similarity", "<f8"),  # to that document: what the rule went by
    ]
)
COPY = np.dtype(
    [("row", "<u8"), ("address", "<u8")]
)  # of a kept document, and of one of its copies


@dataclass(frozen=True, eq=False)
class Choice:
    """What was decided of the documents with a verified duplicate."""

    uids: NDArray[np.uint64]  # (n,) ascending; of one uid the document of the index comes last
    addresses: NDArray[np.uint64]
    left: NDArray[np.int64]  # (edges,) node at one end of each
    right: NDArray[np.int64]  # and at the other
    component: NDArray[np.int64]  # smallest node of each
    order: NDArray[np.int64]  # nodes from best to worst
    kept: NDArray[np.int64]  # node that stays in place of each
    deciding: NDArray[np.int64]  # edge on which its removal rests; -1 if it stays


def choose(task: Task, places: Places, keep: tuple[str, ...]) -> Tally:
    """A decision for every document with a verified duplicate, keyed by partition."""
    folders = [path for source in task.sources for path in runs_in(source)]
    edges = gather(folders, EDGE, 0, 2**64).records
    choice = chosen(edges, places, keep)
    removed = np.flatnonzero(choice.deciding >= 0)
    decisions = np.zeros(len(choice.uids), DECISION)
    decisions["row"] = choice.addresses & ROW
    decisions["cluster"] = choice.uids[choice.component]
    decisions["kept"] = choice.addresses[choice.kept]
    deciding = edges[choice.deciding[removed]]
    decisions["rule"][removed] = deciding["rule"]
    by_jaccard = np.isin(deciding["rule"], (Rule.EXACT, Rule.NEAR))
    decisions["similarity"][removed] = np.where(
        by_jaccard, deciding["jaccard"], deciding["containment"]
    )
    write_run(task.targets[0], choice.addresses >> np.uint64(32), decisions)
    copies = np.zeros(len(removed), COPY)
    replaced_by = choice.addresses[choice.kept[removed]]
    copies["row"] = replaced_by & ROW
    copies["address"] = choice.addresses[removed]
    write_run(task.targets[1], replaced_by >> np.uint64(32), copies)
    sizes = np.bincount(choice.component)
    return Tally(
        counts={
            "documents_with_duplicates": len(choice.uids),
            "clusters": int((sizes > 0).sum()),
            "largest_cluster": int(sizes.max(initial=0)),
        }
    )


def chosen(edges: NDArray[np.void], places: Places, keep: tuple[str, ...]) -> Choice:
    """Components of the pairs, and the best document of each; see `clusters.choose_kept`.

    Args:
        edges: Verified pairs, some perhaps twice.
        places: Where the facts are.
        keep: What makes a document better, from what counts most to what counts least.
    """
    ends = np.concatenate([edges["a"], edges["b"]])
    members, node = _distinct(ends)
    uids, addresses = members["uid"], members["address"]
    left, right = node[: len(edges)], node[len(edges) :]
    bounds, edge, other = _adjacency(len(uids), left, right)
    # An edge stands at both its ends; at each it says whether this end may go for the other.
    at_a = np.repeat(np.arange(len(uids)), np.diff(bounds)) == left[edge]
    may_go = (edges["removable"][edge] & np.where(at_a, A_FOR_B, B_FOR_A)) > 0
    likeness = np.maximum(edges["jaccard"], edges["containment"])[edge]
    order = _best_first(addresses, uids, places, keep)
    kept, deciding = choose_kept(order, bounds, other, np.where(may_go, likeness, -1.0))
    deciding = np.where(deciding >= 0, edge[deciding], -1) if len(edge) else deciding
    component = components(len(uids), left, right)
    return Choice(uids, addresses, left, right, component, order, kept, deciding)


def _distinct(members: NDArray[np.void]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Each document once, by uid, and which of them each member is."""
    order = np.lexsort((members["address"], members["uid"]))
    new = np.ones(len(members), bool)
    addresses = members["address"][order]
    new[1:] = addresses[1:] != addresses[:-1]
    node = np.empty(len(members), np.int64)
    node[order] = np.cumsum(new) - 1
    return members[order[new]], node


def _best_first(
    addresses: NDArray[np.uint64], uids: NDArray[np.uint64], places: Places, keep: tuple[str, ...]
) -> NDArray[np.int64]:
    """By the policy; of equals the one that an index has, for it is out; then the smallest uid."""
    values = np.zeros((len(addresses), len(ATTRIBUTES)), np.int64)
    open_part = cache(places.facts_of)
    for i, address in enumerate(addresses):
        part, row = locate(address)
        values[i] = open_part(part).attributes_of(row)
    keys = [-_preference(values, name) for name in keep]
    return np.lexsort((uids, ~indexed(addresses), *reversed(keys)))


def _preference(values: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """How good each document is in one respect; more is better."""
    if name == "preprint":
        versions = values[:, ATTRIBUTES.index("published")]
        return np.where(versions > 0, 4 - versions, 0)
    return values[:, ATTRIBUTES.index(name)]


def _adjacency(
    nodes: int, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each node the edges it is on, as (bounds, edge, other end)."""
    near = np.concatenate([left, right])
    order = np.argsort(near, kind="stable")
    bounds = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(near, minlength=nodes), out=bounds[1:])
    edge = np.concatenate([np.arange(len(left)), np.arange(len(right))])[order]
    return bounds, edge, np.concatenate([right, left])[order]
