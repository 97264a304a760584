"""Answers that share no code with Ordo, for what the command prints."""
import heapq

INF = float("inf")


def dijkstra(n, edges, source):
    rows = [[] for _ in range(n)]
    for u, v, w in edges:
        rows[u].append((v, w))
    dist = [INF] * n
    dist[source] = 0
    queue = [(0, source)]
    while queue:
        d, u = heapq.heappop(queue)
        if d > dist[u]:
            continue
        for v, w in rows[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(queue, (d + w, v))
    return dist


def bellman_ford(n, edges, source):
    """Distances; None where the source reaches a negative cycle."""
    dist = [INF] * n
    dist[source] = 0
    for _ in range(n + 1):
        before = list(dist)
        for u, v, w in edges:
            dist[v] = min(dist[v], dist[u] + w)
        if dist == before:
            return dist
    return None


def widest(n, edges, source):
    width = [0] * n
    width[source] = INF
    queue = [(-INF, source)]
    while queue:
        d, u = heapq.heappop(queue)
        for a, v, w in edges:
            if a == u and min(-d, w) > width[v]:
                width[v] = min(-d, w)
                heapq.heappush(queue, (-width[v], v))
    return width


def core_numbers(n, edges):
    near = [set() for _ in range(n)]
    for u, v, _ in edges:
        if u != v:
            near[u].add(v)
            near[v].add(u)
    core, left = [0] * n, set(range(n))
    for k in range(1, n):
        while weak := [v for v in left if len(near[v] & left) < k]:
            left -= set(weak)
        for v in left:
            core[v] = k
    return core


def pagerank(n, edges, damping):
    degree = [0] * n
    for u, _, _ in edges:
        degree[u] += 1
    rank = [1 / n] * n
    for _ in range(300):
        stuck = sum(r for r, d in zip(rank, degree) if not d)
        then = [(1 - damping + damping * stuck) / n] * n
        for u, v, _ in edges:
            then[v] += damping * rank[u] / degree[u]
        rank = then
    return rank


def hops(n, edges, source):
    return dijkstra(n, [(u, v, 1) for u, v, _ in edges], source)


def kruskal(n, edges):
    """The forest of least weight; of equal weights the edge that comes first by tail, head and place in the file."""
    tree, forest = list(range(n)), []
    for i in sorted(range(len(edges)), key=lambda i: (edges[i][2], edges[i][0], edges[i][1], i)):
        a, b = tree[edges[i][0]], tree[edges[i][1]]
        if a != b:
            tree = [a if t == b else t for t in tree]
            forest.append(edges[i])
    return forest


def both_ways(edges):
    return [e for u, v, w in edges for e in ((u, v, w), (v, u, w))]
