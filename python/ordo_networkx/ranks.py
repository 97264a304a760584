"""PageRank, with NetworkX's parameters and by its rule: rounds over the whole graph until a round changes ranks by less
than n * tol. That rule leaves ranks as far from the limit as it allows, so Ordo's own app, which bounds the error and is
done sooner, would give other ranks. Here NumPy and SciPy multiply the rows that the conversion has made: what NetworkX
spends its time on is making them."""
from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .graph import Declined, Graph
from .serve import serves


def _shares(G: Graph, weight: Any) -> Any:
    """The transposed matrix of transitions, and which nodes have no way out."""
    from scipy.sparse import csr_array

    def make() -> Any:
        offsets, heads = G.rows
        values = _sums(G, weight)
        matrix = csr_array((values, heads.astype(np.int32), offsets), (len(G), len(G)))
        out = matrix.sum(axis=1)
        by = np.divide(1.0, out, out=np.zeros(len(G)), where=out != 0)
        matrix.data *= by[G.tails]
        return matrix.T.tocsr(), np.flatnonzero(out == 0)
    return G._once(("shares", weight), make)


def _sums(G: Graph, weight: Any) -> np.ndarray:
    """A weight for each edge of the rows, the sum of parallel edges, as a real."""
    if weight is None and not G.is_multigraph():
        return np.ones(len(G.rows[1]))
    if not G.is_multigraph():
        return G.weights(weight)[0].astype(np.float64)
    try:
        return np.array([sum(d.get(weight, 1) for d in edges.values()) for edges in G.data()], np.float64)
    except (TypeError, ValueError):
        raise Declined("a weight is no number") from None


def _vector(G: Graph, given: Any) -> np.ndarray:
    return np.array([given.get(node, 0) for node in G], np.float64)


@serves()
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None):
    n = len(G)
    if n == 0:
        return {}
    even = np.full(n, 1.0 / n)
    rank = even
    if nstart is not None:
        rank = _vector(G, nstart)
        rank = rank / rank.sum()
    teleport = even
    if personalization is not None:
        teleport = _vector(G, personalization)
        if teleport.sum() == 0:
            raise ZeroDivisionError
        teleport = teleport / teleport.sum()
    to = teleport
    if dangling is not None:
        to = _vector(G, dangling)
        to = to / to.sum()
    shares, lost = _shares(G, weight)
    for _ in range(max_iter):
        before, rank = rank, alpha * (shares @ rank + rank[lost].sum() * to) + (1 - alpha) * teleport
        if np.abs(rank - before).sum() < n * tol:
            return G.by_node(rank)
    raise nx.PowerIterationFailedConvergence(max_iter)
