"""SciPy's csgraph: breadth_first_order, dijkstra, connected_components, minimum_spanning_tree, maximum_flow. Called and
answering as rows.h says. Parallel edges are added up by its matrices, so the least of them is taken first."""
import sys
import time

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph


def read_gap(path, weighted):
    with open(path, "rb") as f:
        f.read(1)
        n = int(np.fromfile(f, np.int64, 2)[1])
        row = np.fromfile(f, np.int64, n + 1)
        words = np.fromfile(f, np.int32)
    m = int(row[n])
    head = words[0:2 * m:2] if weighted else words[:m]
    weight = words[1:2 * m:2] if weighted else np.ones(m, np.int32)
    return n, np.repeat(np.arange(n), np.diff(row)), head, weight


def read_network(path):
    arcs, ends, n = [], {}, 0
    with open(path) as f:
        for line in f:
            word = line.split()
            if word[:1] == ["p"]:
                n = int(word[2])
            elif word[:1] == ["n"]:
                ends[word[2]] = int(word[1]) - 1
            elif word[:1] == ["a"]:
                arcs.append((int(word[1]) - 1, int(word[2]) - 1, int(word[3])))
    tail, head, weight = np.array(arcs, np.int32).T
    return n, ends["s"], ends["t"], tail, head, weight


def least(n, tail, head, weight):
    order = np.lexsort((weight, head, tail))
    tail, head, weight = tail[order], head[order], weight[order]
    keep = np.r_[True, (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])]
    return sparse.csr_matrix((weight[keep], (tail[keep], head[keep])), (n, n))


app, path, source, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if app == "maxflow":
    n, source, sink, tail, head, weight = read_network(path)
    g = sparse.csr_matrix((weight, (tail, head)), (n, n), dtype=np.int32)
else:
    g = least(*read_gap(path, app in ("sssp", "mst")))
    if app in ("sssp", "mst"):
        g = g.astype(np.float64)  # what these calls convert to themselves
for _ in range(repeats):
    start = time.monotonic()
    if app == "sssp":
        distance = csgraph.dijkstra(g, indices=source)
        end = time.monotonic()
        answer = distance[np.isfinite(distance)].sum()
    elif app == "bfs":
        order, before = csgraph.breadth_first_order(g, source)
        end = time.monotonic()
        level = np.zeros(g.shape[0], np.int64)
        for v in order[1:]:
            level[v] = level[before[v]] + 1
        answer = level.sum()
    elif app == "cc":
        answer, _ = csgraph.connected_components(g, directed=False)
        end = time.monotonic()
    elif app == "mst":
        tree = csgraph.minimum_spanning_tree(g)
        end = time.monotonic()
        answer = tree.sum()
    else:
        answer = csgraph.maximum_flow(g, source, sink).flow_value
        end = time.monotonic()
    print(f"{end - start:.6f} {int(answer)}", flush=True)
