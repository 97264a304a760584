"""What is built into libordo: schedulers and operators."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import cast

from . import _abi
from ._abi import library


def _pointers(function: Callable[..., int]) -> list[int]:
    """Of a call that writes pointers to an array and returns their number."""
    count = function(None, 0)
    found = (ctypes.c_void_p * count)()
    function(found, count)
    return cast(list[int], list(found))


def schedulers() -> dict[str, str]:
    """Name and summary of each scheduler."""
    found = [_abi.SchedulerHead.from_address(at) for at in _pointers(library.ordo_schedulers)]
    return {s.name.decode(): s.summary.decode() for s in found if s.interface == _abi.SCHEDULER_INTERFACE}


def operators() -> dict[str, str]:
    """Name and summary of each operator."""
    return {library.ordo_operator_name(at).decode(): library.ordo_operator_summary(at).decode()
            for at in _pointers(library.ordo_operators)}
