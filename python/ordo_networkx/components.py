"""Components, weak and strong. Those of an undirected graph come in the order of their first nodes, as NetworkX has it;
the order of its strong components is that of a depth-first search, so that here they are only counted."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

import ordo

from .graph import Graph
from .serve import serves


def _sets(G: Graph) -> Iterator[set[Any]]:
    labels = ordo.cc(G.plain, **G.options()).labels
    by = np.argsort(labels, kind="stable")
    for part in np.split(by, np.flatnonzero(np.diff(labels[by])) + 1):
        if len(part):
            yield set(G.nodes_of(part))


def _one(G: Graph, find: Any) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return find(G.plain, **G.options()).count == 1


@serves()
def connected_components(G):
    yield from _sets(G)


@serves()
def number_connected_components(G):
    return ordo.cc(G.plain, **G.options()).count


@serves()
def is_connected(G):
    return _one(G, ordo.cc)


@serves()
def node_connected_component(G, n):
    component = ordo.cc(G.plain, **G.options()).component
    return set(G.nodes_of(np.flatnonzero(component == component[G.id(n)])))


@serves()
def weakly_connected_components(G):
    yield from _sets(G)


@serves()
def number_weakly_connected_components(G):
    return ordo.cc(G.plain, **G.options()).count


@serves()
def is_weakly_connected(G):
    return _one(G, ordo.cc)


@serves()
def number_strongly_connected_components(G):
    return ordo.scc(G.plain, **G.options()).count


@serves()
def is_strongly_connected(G):
    return _one(G, ordo.scc)
