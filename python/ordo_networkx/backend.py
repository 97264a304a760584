"""The object that NetworkX calls: its functions are those that the modules below have registered."""
from __future__ import annotations

from typing import Any

import networkx as nx

from . import components, counts, distances, flows, forests, paths, ranks, searches  # noqa: F401 (they register)
from .graph import Graph, convert
from .serve import SEARCHES, SERVED, reason


class Backend:
    def convert_from_nx(self, graph: Any, **_: Any) -> Graph:
        return convert(graph)

    def convert_to_nx(self, found: Any, **_: Any) -> Any:
        return found.nx if isinstance(found, Graph) else found

    def can_run(self, name: str, args: Any, kwargs: Any) -> bool | str:
        return reason(name, args, kwargs) or True

    def should_run(self, name: str, args: Any, kwargs: Any) -> bool | str:
        """By size: below it NetworkX has its answer before the graph is converted."""
        graph = args[0] if args else kwargs.get("G", kwargs.get("flowG"))
        if isinstance(graph, Graph):
            return True
        least = nx.config.backends.ordo.smallest // (10 if name in SEARCHES else 1)
        size = len(graph) + graph.number_of_edges()
        return True if size >= least else f"{size} nodes and edges, fewer than {least}: NetworkX is as fast"


backend = Backend()
for _name, _function in SERVED.items():
    setattr(backend, _name, _function)
