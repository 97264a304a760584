"""Spanning forests. Kruskal's algorithm takes equal edges in the order of G.edges; so does Ordo, whose ties fall to the
edge that comes first. The edges are given once each, as directed ones: directions do not matter."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import numpy as np

import ordo

from .graph import Declined, Graph, numbers
from .serve import original, serves


class _Edges:
    """Each edge once, in the order of G.edges: where it first comes in the rows. Its attributes, key and weight."""

    def __init__(self, G: Graph, weight: Any) -> None:
        heads, tails = G.rows[1], G.tails
        once = heads >= tails
        tails, heads = tails[once], heads[once]
        attributes = list(compress(G.data(), once))
        keys: list[Any] = []
        if G.is_multigraph():
            count = list(map(len, attributes))
            tails, heads = np.repeat(tails, count), np.repeat(heads, count)
            keys = [key for edges in attributes for key in edges]
            attributes = [d for edges in attributes for d in edges.values()]
        weights = numbers([d.get(weight, 1) for d in attributes])[0]
        self.tails, self.heads, self.attributes, self.keys, self.weights = tails, heads, attributes, keys, weights
        self.bad = np.isnan(weights) if weights.dtype.kind == "f" else np.zeros(len(weights), bool)

    def listed(self, G: Graph, some: np.ndarray, keys: bool = True, data: bool = True) -> Iterator[tuple[Any, ...]]:
        """Some edges as NetworkX gives them."""
        columns: list[Any] = [G.nodes_of(self.tails[some]), G.nodes_of(self.heads[some])]
        for wanted, values in ((keys and self.keys, self.keys), (data, self.attributes)):
            if wanted:
                columns.append(map(values.__getitem__, some.tolist()))
        return zip(*columns)


def _forest(G: Graph, sign: int, weight: Any, ignore_nan: bool) -> tuple[_Edges, np.ndarray]:
    """The edges, and which of them are in a forest, by weight."""
    found = G._once(("edges", weight), lambda: _Edges(G, weight))
    if found.bad.any() and not ignore_nan:
        raise ValueError(f"NaN found as an edge weight. Edge {next(found.listed(G, np.flatnonzero(found.bad)))}")
    usable = np.flatnonzero(~found.bad)
    weights = found.weights[usable]
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():  # finite ones in the same order
        weights = np.unique(weights, return_inverse=True)[1].astype(np.int64)
    elif weights.dtype.kind == "i" and len(weights) and weights.min() == np.iinfo(np.int64).min:
        raise Declined("a weight of -2^63")
    weights = sign * weights
    offsets = np.concatenate(([0], np.cumsum(np.bincount(found.tails[usable], minlength=len(G)))))
    kept = ordo.mst(ordo.Graph.from_csr(offsets, found.heads[usable], weights), **G.options()).edges
    return found, usable[kept[np.argsort(weights[kept], kind="stable")]]


def _spanning_edges(G: Graph, sign: int, weight: Any, keys: bool, data: bool, ignore_nan: bool) -> Any:
    found, kept = _forest(G, sign, weight, ignore_nan)
    yield from found.listed(G, kept, keys, data)


def _spanning_tree(G: Graph, sign: int, weight: Any, ignore_nan: bool) -> Any:
    tree = G.nx.__class__()
    tree.graph.update(G.nx.graph)
    tree.add_nodes_from(G.nx.nodes.items())
    found, kept = _forest(G, sign, weight, ignore_nan)
    tree.add_edges_from(found.listed(G, kept))
    return tree


def _refuse(G, algorithm="kruskal", **_):
    if algorithm in ("prim", "boruvka"):
        return f"algorithm={algorithm!r} takes equal edges in another order; kruskal is served"
    return None


@serves(_refuse)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if algorithm != "kruskal":
        return original("minimum_spanning_edges")(G.nx, algorithm)  # refuses it
    return _spanning_edges(G, 1, weight, keys, data, ignore_nan)


@serves(_refuse)
def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if algorithm != "kruskal":
        return original("maximum_spanning_edges")(G.nx, algorithm)
    return _spanning_edges(G, -1, weight, keys, data, ignore_nan)


@serves(_refuse)
def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    if algorithm != "kruskal" or G.is_directed():
        return original("minimum_spanning_tree")(G.nx, weight, algorithm)
    return _spanning_tree(G, 1, weight, ignore_nan)


@serves(_refuse)
def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    if algorithm != "kruskal" or G.is_directed():
        return original("maximum_spanning_tree")(G.nx, weight, algorithm)
    return _spanning_tree(G, -1, weight, ignore_nan)
