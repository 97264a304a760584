"""First pass and rounds of tools/bench: who runs, in which order, and whether answers agree."""
import itertools
import os
import pathlib
import statistics
import sys
import time

from bench_parts.graphs import records, run
from bench_peers import peers as others

NATIVE = ("maxflow", "cc", "bc", "tc")  # apps with a program of their own
# What a peer that prints an answer must agree with. Reals have none.
ANSWER = {"sssp": "sum", "bfs": "sum", "cc": "components", "mst": "weight", "maxflow": "value", "kcore": "k", "tc": "triangles"}
REALS = {"pagerank": "max", "bc": "max"}


def ours(ordo, app, path, source, threads, repeat, more, what="trial"):
    where = [] if source is None else ["--source", source]
    lines = records(run([ordo, app, path, *where, "--threads", threads, "--repeat", repeat, "--json", "-", "--quiet", *more]))
    return [1000 * line["seconds"][what] for line in lines], lines[-1]


class Machine:
    """Whether others use the cores: before a turn we wait for them for a while, and say how often that was in vain."""

    def __init__(self, patience):
        self.patience, self.turns, self.shared = patience, 0, 0

    def wait(self, threads):
        end = time.monotonic() + self.patience
        self.turns += 1
        while self.others() + threads > len(os.sched_getaffinity(0)):
            if time.monotonic() >= end:
                self.shared += 1
                return
            time.sleep(0.02)

    @staticmethod
    def others():
        return int(pathlib.Path("/proc/loadavg").read_text().split()[3].split("/")[0]) - 1

    def __str__(self):
        return f"{self.shared} of {self.turns} turns began while others used the cores"


class Contender:
    """A scheduler, or a peer with one of its settings."""

    def __init__(self, who, label, peer=None, words=()):
        self.who, self.label, self.peer, self.words = who, label, peer, words
        self.first, self.times, self.work, self.why_not, self.chosen = None, [], {}, None, None

    def name(self):
        return f"{self.who} {self.label}".strip()

    def key(self):
        """What is the same with each number of threads; a peer's best setting may differ."""
        return self.who if self.peer else self.name()


class Match:
    """One app on one graph with one number of threads."""

    def __init__(self, args, app, graph, source, threads):
        self.args, self.app, self.graph, self.source, self.threads = args, app, graph, source, threads
        self.path = graph.for_app(app)
        self.answer = self.record = None
        self.settings = ["--tolerance", others.TOLERANCE] if app == "pagerank" else []
        self.all = []

    def trial(self, c, repeat, limit=None):
        """Times of some repeats, into `times` or `first`."""
        if c.peer:
            times, answer = c.peer.times(self.app, self.graph, self.source, self.threads, repeat, c.words)
            if answer is not None and answer != self.expected():
                raise others.Failed(f"its answer is {answer}, ours is {self.expected()}")
            return times
        more = ["--scheduler", c.label, *self.settings]
        more += ["--timeout", f"{limit:.3f}"] if limit else []
        where = [] if self.source is None else ["--source", self.source]
        text = others.call([self.args.ordo, self.app, self.path, *where, "--threads", self.threads, "--repeat", repeat,
                            "--json", "-", "--quiet", *more], self.args.limit)
        lines = records(text)
        answer = lines[-1]["result"]
        if not self.agrees(answer):
            sys.exit(f"bench: {c.name()} on {self.graph.name}: {answer}, expected the verified {self.answer}")
        c.work = {k: lines[-1]["counts"][k] for k in ("items", "edges", "supersteps")}
        c.chosen = lines[-1]["options"]["chosen"] and f"{lines[-1]['options']['scheduler']}: {lines[-1]['options']['chosen']}"
        return [1000 * line["seconds"]["trial"] for line in lines]

    def expected(self):
        return self.answer[ANSWER[self.app]]

    def agrees(self, answer):
        """With the verified one. Reals within what both say of their errors, relative to the answer for bc."""
        if self.app not in REALS:
            return answer == self.answer
        a, b = (x[REALS[self.app]] for x in (answer, self.answer))
        errors = answer["error"] + self.answer["error"]
        return abs(a - b) <= (errors + 1e-12 if self.app == "pagerank" else (errors + 1e-6) * max(a, b))

    def first_pass(self, peers, first):
        """All of them once. `first`: the match with another number of threads that has the verified answer, or None."""
        if first:
            self.answer, self.record = first.answer, first.record
        else:
            where = [] if self.source is None else ["--source", self.source]
            self.record = records(run([self.args.ordo, self.app, self.path, *where, *self.settings, "--verify", "--json", "-", "--quiet"]))[-1]
            self.answer = self.record["result"]
        names = self.args.schedulers or (["native"] if self.app in NATIVE else []) + [
            "auto", "delta", "bsp", "near_far", "adds", "inbox", "topology"]
        best = None
        for name in names:
            c = Contender("ordo", name)
            self.all.append(c)
            self.once(c, 10 * best / 1000 + 1 if best else None)
            best = min((t for t in (best, c.first) if t is not None), default=None)
        peers = [peer for peer in peers if peer.has(self.app) and (self.threads == 1 or not peer.serial)]
        width = self.width() if peers else None
        for peer in peers:
            for label, words in peer.variants(self.app, width).items():
                c = Contender(peer.name, label, peer, words)
                self.all.append(c)
                self.once(c, None)

    def width(self):
        """What delta finds for this graph; peers' widths are tried around it."""
        if self.app != "sssp":
            return 1
        return ours(self.args.ordo, "sssp", self.path, self.source, self.threads, 1, [])[1]["delta"]["first"]

    def once(self, c, limit):
        """Who looks too slow for the rounds gets a second chance: others may have had the cores."""
        for _ in range(2):
            self.args.machine.wait(self.threads)
            try:
                c.first = min([*self.trial(c, 2, limit), *([c.first] if c.first else [])])
            except others.Failed as error:
                c.why_not = str(error)
                return
            side = [d.first for d in self.all if d.first and bool(d.peer) == bool(c.peer)]
            if not 1 < c.first / min(side) / self.args.within < 2:
                return

    def sides(self):
        """Our schedulers that ran, and each peer with its best setting."""
        ran = [c for c in self.all if c.first is not None]
        best_of = {}
        for c in ran:
            if c.peer and (c.who not in best_of or c.first < best_of[c.who].first):
                best_of[c.who] = c
        return [c for c in ran if not c.peer], list(best_of.values())

    def near(self):
        """Keys of those that are near the best of their side."""
        return {c.key() for side in self.sides() for c in side
                if c.label == "auto" or c.first <= self.args.within * min(d.first for d in side)}

    def turns(self, keys):
        """Those with a key in `keys`, in their order: peer, ours, peer, ours."""
        mine, theirs = ([c for c in side if c.key() in keys] for side in self.sides())
        return [c for pair in itertools.zip_longest(theirs, mine) for c in pair if c]

    def turn(self, c):
        self.args.machine.wait(self.threads)
        try:
            c.times += self.trial(c, self.args.repeat)
        except others.Failed as error:
            c.why_not = str(error)

    def best(self, pick):
        return min((c for c in self.all if c.times and pick(c)), key=lambda c: statistics.median(c.times), default=None)


def play(args, app, graph, source, peers):
    """Matches of one app on one graph. All numbers of threads have their turns in each round, so that a disturbance hits all
    of them, and who is near the best with one number takes part with each, so that a table over threads has no holes."""
    matches = []
    for threads in args.threads:
        matches.append(Match(args, app, graph, source, threads))
        matches[-1].first_pass(peers, matches[0] if len(matches) > 1 else None)
    keys = set().union(*(match.near() for match in matches))
    turns = [(match, c) for match in matches for c in match.turns(keys)]
    for _ in range(args.rounds):
        for match, c in turns:
            match.turn(c)
    return matches
