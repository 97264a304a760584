"""Breadth-first searches: NetworkX's order is that of a queue over rows in the order of the adjacency."""
from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from ordo._order import bfs_order

from .graph import Graph
from .serve import delegates, serves


def _levels(cutoff: Any) -> Any:
    """The largest level of a search that goes on while its level is below `cutoff`."""
    if cutoff is None or cutoff == math.inf:
        return None
    return max(0, math.ceil(cutoff))


def search(G: Graph, sources: Any, cutoff: Any = None) -> Any:
    return bfs_order(G.plain, sources, _levels(cutoff))


def lengths_by_node(G: Graph, node: Any, cutoff: Any) -> dict[Any, int]:
    order, level, _ = search(G, G.id(node), cutoff)
    return dict(zip(G.nodes_of(order), level[order].tolist()))


def paths_by_node(names: list[Any], parents: list[Any], sources: int, backwards: bool = False) -> dict[Any, list[Any]]:
    """Paths to nodes that come after their parents; the first ones are sources."""
    paths = {name: [name] for name in names[:sources]}
    for name, parent in zip(names[sources:], parents):
        paths[name] = [name] + paths[parent] if backwards else paths[parent] + [name]
    return paths


def _paths(G: Graph, node: Any, cutoff: Any, backwards: bool = False) -> dict[Any, list[Any]]:
    order, _, pred = search(G, G.id(node), cutoff)
    return paths_by_node(G.nodes_of(order), G.nodes_of(pred[order[1:]]), 1, backwards)


def _towards(G: Graph) -> Graph:
    return G.reverse() if G.is_directed() else G


@serves()
def single_source_shortest_path_length(G, source, cutoff=None):
    return lengths_by_node(G, source, cutoff)


@serves()
def single_target_shortest_path_length(G, target, cutoff=None):
    return lengths_by_node(_towards(G), target, cutoff)


@serves(searches=True)
def all_pairs_shortest_path_length(G, cutoff=None):
    for node in G:
        yield node, lengths_by_node(G, node, cutoff)


@serves()
def single_source_shortest_path(G, source, cutoff=None):
    return _paths(G, source, cutoff)


@serves()
def single_target_shortest_path(G, target, cutoff=None):
    return _paths(_towards(G), target, cutoff, backwards=True)


@serves(searches=True)
def all_pairs_shortest_path(G, cutoff=None):
    for node in G:
        yield node, _paths(G, node, cutoff)


def tight_lists(G: Graph, order: np.ndarray, tight: np.ndarray, first: np.ndarray) -> dict[Any, list[Any]]:
    """For each node of `first` the tails of its edges that are `tight`, in the order in which a search took them."""
    place = np.full(len(G), len(G))
    place[order] = np.arange(len(order))
    edges = np.flatnonzero(tight)
    tails, heads = G.tails[edges], G.rows[1][edges]
    by = np.lexsort((place[tails], heads))
    lists: dict[Any, list[Any]] = {name: [] for name in G.nodes_of(first)}
    for head, tail in zip(G.nodes_of(heads[by]), G.nodes_of(tails[by])):
        lists[head].append(tail)
    return lists


def _refuse_predecessor(G, source, target, cutoff, return_seen):
    return "a negative cutoff" if cutoff and cutoff < 0 else None


@serves(_refuse_predecessor)
def predecessor(G, source, target=None, cutoff=None, return_seen=None):
    order, level, _ = search(G, G.id(source), cutoff or None)
    level = level.astype(np.int64)
    tail, head = level[G.tails], level[G.rows[1]]
    reached = np.iinfo(np.uint32).max
    pred = tight_lists(G, order, (tail + 1 == head) & (head != reached), order)
    if target is not None:
        if target not in pred:
            return ([], -1) if return_seen else []
        return (pred[target], int(level[G.id(target)])) if return_seen else pred[target]
    return (pred, dict(zip(G.nodes_of(order), level[order].tolist()))) if return_seen else pred


def _refuse_sorted(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    return "sort_neighbors is a function that would be called for every node" if sort_neighbors is not None else None


@serves(_refuse_sorted)
def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    H = _towards(G) if reverse else G
    order, _, pred = search(H, H.id(source), depth_limit)
    yield from zip(H.nodes_of(pred[order[1:]]), H.nodes_of(order[1:]))


@serves(_refuse_sorted)
def bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, reverse, depth_limit))
    return tree


delegates("bfs_predecessors", _refuse_sorted)
delegates("bfs_successors", _refuse_sorted)


@serves()
def bfs_layers(G, sources):
    if sources in G:
        sources = [sources]
    first = list(set(sources))
    if not first:
        return
    for node in first:
        if node not in G:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
    order, level, _ = search(G, list(map(G.id, first)))
    ends = np.flatnonzero(np.diff(level[order])) + 1
    for layer in np.split(order, ends):
        yield G.nodes_of(layer)


delegates("descendants_at_distance")


@serves()
def descendants(G, source):
    return set(G.nodes_of(search(G, G.id(source))[0][1:]))


@serves()
def ancestors(G, source):
    H = _towards(G)
    return set(H.nodes_of(search(H, H.id(source))[0][1:]))
