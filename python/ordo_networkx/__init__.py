"""Ordo as a backend of NetworkX (docs/networkx.md). Nothing is imported here: NetworkX asks info.py what the backend has
when it is imported itself, and loads backend.py at the first call."""
