"""Which documents are one, and which of them is kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.clusters import choose_kept, components

NODES = 12
edge_lists = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda e: e[0] != e[1]),
    max_size=25,
    unique_by=frozenset,
)
# Few values, so that ties happen.
weighted = edge_lists.flatmap(
    lambda edges: st.tuples(
        st.just(edges),
        st.lists(st.sampled_from([0.8, 0.9, 1.0]), min_size=len(edges), max_size=len(edges)),
    )
)
orders = st.permutations(range(NODES))


def smallest_reachable(nodes, edges):
    """The definition: walk from each node as far as edges lead."""
    smallest = []
    for start in range(nodes):
        reached = {start}
        while more := {n for e in edges if reached & set(e) for n in e} - reached:
            reached |= more
        smallest.append(min(reached))
    return smallest


def joined(nodes, edges):
    left, right = (np.array([e[i] for e in edges], np.int64) for i in (0, 1))
    return components(nodes, left, right).tolist()


def chosen(order, edges, similarity):
    ends = [(a, b, s) for (a, b), s in zip(edges, similarity, strict=True)]
    ends = sorted(ends + [(b, a, s) for a, b, s in ends], key=lambda end: end[0])
    counts = np.bincount([a for a, _, _ in ends], minlength=len(order))
    kept, deciding = choose_kept(
        np.array(order, np.int64),
        np.concatenate([[0], np.cumsum(counts)]),
        np.array([b for _, b, _ in ends], np.int64),
        np.array([s for _, _, s in ends], np.float64),
    )
    for node, (replacement, edge) in enumerate(zip(kept, deciding, strict=True)):
        assert (edge < 0) if replacement == node else ends[edge][:2] == (node, replacement)
    return kept.tolist()


def textbook_choice(order, edges, similarity):
    """Best first; a node with kept neighbours goes to the likest, then the best of them."""
    likeness = {frozenset(e): s for e, s in zip(edges, similarity, strict=True)}
    kept = {}
    for node in order:
        near = [n for n in kept if kept[n] == n and frozenset((n, node)) in likeness]
        near.sort(key=lambda n: (-likeness[frozenset((n, node))], order.index(n)))
        kept[node] = near[0] if near else node
    return [kept[node] for node in range(len(order))]


@given(edge_lists)
def test_a_component_is_named_by_its_smallest_node(edges):
    assert joined(NODES, edges) == smallest_reachable(NODES, edges)


@given(edge_lists, st.randoms())
def test_the_order_and_direction_of_edges_do_not_matter(edges, random):
    shuffled = [random.sample(edge, 2) for edge in random.sample(edges, len(edges))]
    assert joined(NODES, shuffled) == joined(NODES, edges)


def test_a_long_chain_in_the_worst_order_is_one_component():
    n = 5000
    forward = [(i, i + 1) for i in range(n - 1)]
    for edges in (forward, forward[::-1], forward[::2] + forward[1::2]):
        assert set(joined(n, edges)) == {0}


def test_loops_and_repeated_edges_change_nothing():
    assert joined(3, [(1, 1), (1, 2), (2, 1), (1, 2)]) == [0, 1, 1]


@given(weighted, orders)
def test_the_choice_is_that_of_the_textbook(graph, order):
    assert chosen(order, *graph) == textbook_choice(order, *graph)


@given(weighted, orders)
def test_a_removal_rests_on_an_edge_to_the_kept_document_itself(graph, order):
    edges, similarity = graph
    verified = set(map(frozenset, edges))
    kept = chosen(order, edges, similarity)
    for node, replacement in enumerate(kept):
        assert kept[replacement] == replacement
        assert node == replacement or frozenset((node, replacement)) in verified


@given(weighted, orders)
def test_no_two_kept_documents_are_duplicates_of_each_other(graph, order):
    kept = chosen(order, *graph)
    for a, b in graph[0]:
        assert kept[a] != a or kept[b] != b


@given(weighted, orders)
def test_every_cluster_keeps_its_best_document_and_so_at_least_one(graph, order):
    kept = chosen(order, *graph)
    component = joined(NODES, graph[0])
    for root in set(component):
        best = min((n for n in range(NODES) if component[n] == root), key=order.index)
        assert kept[best] == best
    assert sum(kept[n] == n for n in range(NODES)) >= len(set(component))


@given(weighted, orders, st.randoms())
def test_the_order_of_edges_does_not_decide_who_stays(graph, order, random):
    together = random.sample(list(zip(*graph, strict=True)), len(graph[0]))
    shuffled = [edge for edge, _ in together], [similarity for _, similarity in together]
    assert chosen(order, *shuffled) == chosen(order, *graph)


def test_verified_pairs_of_one_candidate_cluster_stay_apart():
    """text-dedup#132: candidates 0-1-2-3, of which only (0, 2) and (1, 3) are verified."""
    edges = [(0, 2), (1, 3)]
    assert joined(4, edges) == [0, 1, 0, 1]
    assert chosen([0, 1, 2, 3], edges, [0.9, 0.9]) == [0, 1, 0, 1]


def test_a_chain_of_resemblances_removes_no_stranger():
    """0 is like 1 and 1 like 2, but 0 and 2 were never found alike: both stay."""
    assert chosen([0, 1, 2], [(0, 1), (1, 2)], [0.8, 0.9]) == [0, 0, 2]


def test_the_likest_kept_neighbour_replaces_a_document_and_the_better_of_two_alike():
    assert chosen([0, 2, 1], [(0, 1), (1, 2)], [0.8, 0.9]) == [0, 2, 2]
    assert chosen([2, 0, 1], [(0, 1), (1, 2)], [0.9, 0.9]) == [0, 2, 2]


def test_a_document_goes_only_for_one_that_it_may_go_for():
    """0 holds all of 1, which is why 1 may go for it, however much better 1 is."""
    order, bounds, neighbours = np.array([1, 0]), np.array([0, 1, 2]), np.array([1, 0])
    kept, _ = choose_kept(order, bounds, neighbours, np.array([-1.0, 0.9]))
    assert kept.tolist() == [0, 1]
    kept, deciding = choose_kept(order[::-1], bounds, neighbours, np.array([-1.0, 0.9]))
    assert (kept.tolist(), deciding.tolist()) == ([0, 0], [-1, 1])


@given(weighted, orders, st.randoms())
def test_edges_in_one_direction_are_gone_along_in_that_direction_only(graph, order, random):
    """As an abstract may go for its full text and never the full text for the abstract."""
    ends = sorted((a, b) for edge in graph[0] for a, b in (edge, edge[::-1]))
    likeness = np.array([random.choice([-1.0, 0.9]) for _ in ends], np.float64)
    may_go = {end for end, value in zip(ends, likeness, strict=True) if value >= 0}
    bounds = np.searchsorted([a for a, _ in ends], range(NODES + 1))
    others = np.array([b for _, b in ends], np.int64)
    kept, deciding = choose_kept(np.array(order, np.int64), bounds, others, likeness)
    for node, replacement in enumerate(kept.tolist()):
        better = [n for n in order[: order.index(node)] if kept[n] == n and (node, n) in may_go]
        assert (replacement == node) == (not better)
        assert replacement == node or (replacement in better and likeness[deciding[node]] >= 0)
