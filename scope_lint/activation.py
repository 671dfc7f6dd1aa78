"""activation: which stores are on, and why: a user's always, one that ships where its SDK is imported or called."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

from scope_lint.model import Store
from scope_lint.sieve import COMMON_NAMES


class Active(Struct, frozen=True):
    """A store that is on, with the modules and the telling names that can have switched it on.

    `imports` pairs each module of its SDK that is imported with the files that do, `mentions` each name of a call that
    stands somewhere with the files where it does; a store that needs neither can have both empty.
    """

    store: Store
    imports: tuple[tuple[str, frozenset[str]], ...] = ()
    mentions: tuple[tuple[str, frozenset[str]], ...] = ()

    @property
    def files(self) -> frozenset[str]:
        """The files that import the SDK."""
        return frozenset().union(*(files for _, files in self.imports))


def modules(stores: Sequence[Store]) -> frozenset[str]:
    """Return the modules whose import switches a store on."""
    return frozenset(module for store in stores for module in store.on)


def telling_names(stores: Sequence[Store]) -> frozenset[str]:
    """Return the names of calls that switch a store on: no other library's code has them."""
    return frozenset(name for store in stores for name in _telling(store))


def _telling(store: Store) -> frozenset[str]:
    names = {sink.call.rpartition(".")[2] for sink in store.sinks if sink.proof == "name" and "." not in sink.call}
    return frozenset(names - COMMON_NAMES)


def activate(
    stores: Sequence[Store], imported: Mapping[str, Collection[str]], named: Mapping[str, Collection[str]]
) -> tuple[Active, ...]:
    """Return the stores that are on, in their order.

    `imported` says which files import a module, `named` in which files a telling name stands.
    """
    found = []
    for store in stores:
        imports = tuple((module, frozenset(imported[module])) for module in store.on if imported.get(module))
        mentions = tuple((name, frozenset(named[name])) for name in sorted(_telling(store)) if named.get(name))
        if imports or mentions or not store.on or store.declared_at is not None:
            found.append(Active(store, imports, mentions))
    return tuple(found)


def trusted(
    active: Sequence[Active], words: Callable[[str, Collection[str]], Collection[str]]
) -> dict[str, frozenset[str]]:
    """Return the names of calls that count in each file that imports an SDK, whatever stands near them.

    A name as common as `get` is among them only where the file mentions a class or function that it is called on.
    `words` tells which of some names stand in a file.
    """
    found: dict[str, frozenset[str]] = {}
    for each in active:
        receivers = _receivers(each.store)
        for file in each.files:
            mentioned = frozenset(words(file, receivers.keys()))
            names = (name for receiver in mentioned for name in receivers[receiver])
            found[file] = found.get(file, frozenset()).union(names, _distinctive(each.store))
    return found


def _receivers(store: Store) -> dict[str, set[str]]:
    """Return the names that calls are made on, each with the last names of the calls."""
    receivers: dict[str, set[str]] = {}
    for sink in store.sinks:
        for receiver in sink.receivers or store.receivers:
            receivers.setdefault(receiver.rpartition(".")[2], set()).add(sink.call.rpartition(".")[2])
    return receivers


def _distinctive(store: Store) -> frozenset[str]:
    return frozenset(sink.call for sink in store.sinks if "." not in sink.call) - COMMON_NAMES
