#!/usr/bin/env python3
"""The NetworkX backend beside NetworkX itself, on graphs that hypothesis draws: each function that is served answers as
NetworkX's own does, or declines. A graph for which it does not is printed as small as hypothesis can make it.
usage: nx_random_test.py SOURCE_ROOT"""
import random
import sys
import unittest

import nx_test  # first: it makes the backend known
from case import main
from nx_case import nx

from ordo_networkx.serve import SERVED

try:
    from hypothesis import HealthCheck, given, note, settings
    from hypothesis import strategies as st
except ImportError:
    print("hypothesis is missing")
    sys.exit(77)

EXAMPLES = 15  # of each function; about 70 of them

WEIGHTS = {"none": st.none(), "whole": st.none() | st.integers(0, 3), "signed": st.integers(-2, 3), "wide": st.integers(2 ** 33, 2 ** 33 + 4),
           "real": st.sampled_from((0.0, 0.1, 0.2, 0.3)) | st.floats(0, 1e300)}


@st.composite
def graphs(draw):
    """Graphs of every class, with loops and parallel edges, of some nodes in some order; weights and capacities are missing
    on some edges."""
    g = draw(st.sampled_from((nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)))()
    name = nx_test.NAMES[draw(st.sampled_from(sorted(nx_test.NAMES)))]
    n = draw(st.integers(1, 9))
    weights = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    nodes = [name(i) for i in range(n)]
    g.add_nodes_from(draw(st.permutations(nodes)))
    node = st.integers(0, n - 1)
    for u, v, weight, capacity in draw(st.lists(st.tuples(node, node, weights, st.none() | st.integers(0, 5)), max_size=24)):
        numbers = {"weight": weight, "capacity": capacity}
        g.add_edge(nodes[u], nodes[v], **{key: value for key, value in numbers.items() if value is not None})
    return g


class Random(unittest.TestCase):
    maxDiff = None


def test_of(name):
    def test(self):
        answered = []

        @settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(graphs(), st.integers(0, 2 ** 32))
        def is_as_networkx(g, seed):
            several = [(arguments, more) for one, arguments, more in nx_test.calls(g, random.Random(seed)) if one == name]
            arguments, more = several[seed % len(several)]
            note(f"{name}(g, *{arguments}, **{more}); nodes {list(g)}, edges {list(g.edges(data=True))}")
            answered.append(nx_test.Backend.compare(self, name, g, arguments, more))

        is_as_networkx()
        self.assertGreater(sum(answered), 0)  # not all were declined
    return test


nx.utils.backends._load_backend("ordo")  # fills SERVED
for _name in sorted(set(SERVED) - {"maximum_flow"}):  # of several flows of the same value any is right: nx_test.py checks it
    setattr(Random, f"test_{_name}", test_of(_name))


if __name__ == "__main__":
    main()
