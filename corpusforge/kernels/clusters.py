"""Clusters of duplicates, and which document of each to keep.

Memory: 40 bytes per document that has a duplicate, 24 per verified pair; documents without a
duplicate are never seen here.
"""

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.jit import jit


@jit
def components(nodes: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """The smallest node of each node's connected component, shape (nodes,).

    Union-find with path halving; linking to the smaller root makes the result independent of the
    order of the edges.
    """
    parent = np.arange(nodes)
    for e in range(len(left)):
        a, b = left[e], right[e]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a < b:
            parent[b] = a
        elif b < a:
            parent[a] = b
    for node in range(nodes):
        parent[node] = parent[parent[node]]  # smaller nodes are final before larger ones
    return parent


@jit
def choose_kept(
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    likeness: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The node kept in place of each node, and the edge on which that rests.

    Walks the nodes from best to worst: a node with a verified edge to a kept one is removed in
    favour of the most similar such neighbour (the better one if two are equal), any other is kept.
    So every removal rests on what was measured between the two documents themselves, never on a
    chain of resemblances, and a component may keep more than one document.

    Args:
        order: (nodes,) nodes from best to worst.
        bounds: (nodes + 1,) where each node's edges start and end.
        neighbours: (bounds[nodes],) other ends of the edges; each edge appears at both its ends.
        likeness: Of the same shape; below 0 where this node may not go for that neighbour.

    Returns:
        Both (nodes,): a node's own number and -1 if it is kept itself.
    """
    nodes = len(order)
    rank = np.empty(nodes, np.int64)
    for position in range(nodes):
        rank[order[position]] = position
    kept, deciding = np.full(nodes, -1), np.full(nodes, -1)
    for node in order:
        best = -1
        for e in range(bounds[node], bounds[node + 1]):
            other = neighbours[e]
            if kept[other] != other or likeness[e] < 0:
                continue
            closer = best < 0 or likeness[e] > likeness[best]
            if closer or (likeness[e] == likeness[best] and rank[other] < rank[neighbours[best]]):
                best = e
        kept[node] = node if best < 0 else neighbours[best]
        deciding[node] = best
    return kept, deciding
