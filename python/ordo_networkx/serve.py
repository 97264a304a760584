"""How functions are served: each is registered under NetworkX's name and with NetworkX's parameters."""
from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from functools import wraps
from types import GeneratorType
from typing import Any

from networkx.utils import backends

from .graph import Declined, Missing

SERVED: dict[str, Callable[..., Any]] = {}
_REFUSE: dict[str, Callable[..., str | None]] = {}
SIGNATURE: dict[str, inspect.Signature] = {}
SEARCHES: set[str] = set()  # those that search from every node: worth it for smaller graphs

_WEIGHTS = ("weight", "distance", "capacity")


def original(name: str) -> Callable[..., Any]:
    """NetworkX's own function, not dispatched."""
    return backends._registered_algorithms[name].orig_func


def registered(name: str) -> bool:
    """Whether this NetworkX has a function of that name that backends may serve."""
    return name in backends._registered_algorithms


def serves(refuse: Callable[..., str | None] | None = None, searches: bool = False) -> Callable[..., Any]:
    """Registers a function. `refuse` takes its arguments and says why they are not served, or None. Where a node is
    missing, NetworkX's function raises what it raises."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__

        @wraps(function)
        def served(G: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return _begun(function(G, *args, **kwargs))
            except Missing:
                return original(name)(G.nx, *args, **kwargs)
            except Declined as why:
                if _delegated.depth:
                    raise
                raise NotImplementedError(f"ordo: {why}") from None

        SERVED[name] = served
        SIGNATURE[name] = inspect.signature(function)
        if refuse is not None:
            _REFUSE[name] = refuse
        if searches:
            SEARCHES.add(name)
        return served

    return register


def _begun(found: Any) -> Any:
    """Takes the first item of a generator: what is not served must be known while NetworkX can still go to the next
    backend. Other exceptions come when the item is asked for."""
    if not isinstance(found, GeneratorType):
        return found
    try:
        first = [next(found)]
    except StopIteration:
        first = []
    except (Missing, Declined):
        raise
    except Exception as error:
        return _raising(error)
    return _chained(first, found)


def _raising(error: Exception) -> Any:
    raise error
    yield


def _chained(first: Any, rest: Any) -> Any:
    yield from first
    yield from rest


class _Depth(threading.local):
    depth = 0


_delegated = _Depth()


def named(name: str, function: Any) -> Any:
    """The function under that name of NetworkX, with the parameters of it."""
    function.__name__, function.__signature__ = name, inspect.signature(original(name))
    return function


def delegates(name: str, refuse: Callable[..., str | None] | None = None, searches: bool = False) -> None:
    """Serves a function by NetworkX's own, whose calls of other functions are served. What these decline is passed on:
    NetworkX would keep the reason to itself."""
    function = original(name)

    def delegated(G: Any, *args: Any, **kwargs: Any) -> Any:
        _delegated.depth += 1
        try:
            return _begun(function(G, *args, **kwargs))
        finally:
            _delegated.depth -= 1

    serves(refuse, searches)(named(name, delegated))


def reason(name: str, args: Any, kwargs: Any) -> str | None:
    """Why a call is not served, or None."""
    try:
        bound = SIGNATURE[name].bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    given = bound.arguments
    for parameter in _WEIGHTS:
        if callable(given.get(parameter)):
            return f"{parameter} is a function, which would be called for every edge; an attribute's name is served"
    return _REFUSE[name](**given) if name in _REFUSE else None
