#!/usr/bin/env python3
"""Long calls: Ctrl-C ends them within 100 ms, `timeout` and `progress` do, the GIL is free meanwhile, and threads may
share a graph. usage: calls_test.py"""
import os
import signal
import threading
import time
import unittest

import case
import ordo
from case import np


def interrupt_after(seconds):
    sent = []

    def send():
        time.sleep(seconds)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    return sent


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = ordo.generate("rmat", scale=14, weights=(1, 255), symmetrise=True)

    def long(self, **options):
        """Takes minutes."""
        return ordo.bc(self.graph, threads=1, **options)

    def interrupted(self, run):
        delays = []
        for _ in range(3):  # the machine may have had other work once
            sent = interrupt_after(0.1)
            with self.assertRaises(KeyboardInterrupt):
                run()
            delays.append(time.perf_counter() - sent[0])
        self.assertLess(min(delays), 0.1)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_interrupt(self):
        self.interrupted(self.long)

    def test_interrupt_of_a_graph(self):
        self.interrupted(lambda: ordo.generate("rmat", scale=22))

    def test_interrupt_of_several_searches(self):
        import ordo.csgraph
        a = self.graph.to_scipy()
        self.interrupted(lambda: ordo.csgraph.dijkstra(a, indices=np.arange(2000), threads=2))

    def test_own_handler(self):
        seen = []
        before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        try:
            interrupt_after(0.1)
            with self.assertRaises(ordo.CancelledError):
                self.long()
            self.assertEqual(seen, [1])
        finally:
            signal.signal(signal.SIGINT, before)

    def test_timeout(self):
        with self.assertRaises(TimeoutError):
            self.long(timeout=0.05)

    def test_progress(self):
        phases = []
        ordo.generate("rmat", scale=10, progress=lambda phase, done, total: phases.append(phase))
        self.assertTrue(phases)

        def raises(phase, done, total):
            raise LookupError(phase)

        with self.assertRaisesRegex(LookupError, "running"):
            self.long(progress=raises)
        with self.assertRaisesRegex(ordo.UsageError, "progress function"):
            self.long(progress=lambda *_: ordo.cc(self.graph))
        ordo.cc(self.graph)  # nothing is left behind

    def test_gil(self):
        count, stop = [0], threading.Event()

        def work():
            while not stop.is_set():
                count[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            with self.assertRaises(TimeoutError):
                self.long(timeout=0.2)
        finally:
            stop.set()
            thread.join()
        self.assertGreater(count[0], 20)

    def test_threads(self):
        expected = [ordo.sssp(self.graph, s).dist for s in range(4)]
        wrong, errors = [], []

        def work(s):
            for _ in range(5):
                if not np.array_equal(ordo.sssp(self.graph, s, threads=2).dist, expected[s]):
                    wrong.append(s)
                try:
                    ordo.sssp(self.graph, s, scheduler=f"none{s}")
                except ordo.UnknownNameError as error:  # of this thread, not of another
                    errors.append(f"'none{s}'" in str(error))

        threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, errors), ([], [True] * 20))


if __name__ == "__main__":
    case.main()
