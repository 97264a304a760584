"""Many searches at once: the threads share them, each search has one."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def each(search: Callable[..., Any], count: int, options: dict[str, Any]) -> None:
    """search(i, options) for each i, by as many threads as are asked for, each search by one. What one raises ends
    all."""
    threads = options.pop("threads", 0) or len(os.sched_getaffinity(0))
    threads = min(threads, count)
    if threads <= 1:
        for i in range(count):
            search(i, {"threads": 1, **options})
        return
    stop = ctypes.c_int(0)

    def some(first: int) -> None:
        for i in range(first, count, threads):
            if stop.value:
                break
            search(i, {"threads": 1, "_cancel": stop, **options})

    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(some, first) for first in range(threads)]:
                done.result()
        except BaseException:  # Ctrl-C as well
            stop.value = 1
            raise
