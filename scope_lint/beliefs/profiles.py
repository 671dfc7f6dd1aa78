"""Profiles: key sets that are both written and read, two scopes side by side on purpose; and their misspelt twins."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from scope_lint.beliefs.votes import Indexed, scope_unit
from scope_lint.declared import declared_keys, fold
from scope_lint.model import Site, Store

KeySet = frozenset[str]
_MAYBE_LIMIT = 4  # more keys than this that may be absent are tried all together or not at all


def sure_keys(site: Site) -> KeySet:
    """The keys that the scope has on every path."""
    return frozenset(key.name for key in site.keys if not key.maybe)


def key_sets(site: Site) -> set[KeySet]:
    """Every key set that the scope can have: a key that may be absent is tried both ways."""
    sure = sure_keys(site)
    maybe = sorted({key.name for key in site.keys if key.maybe})
    sizes = range(len(maybe) + 1) if len(maybe) <= _MAYBE_LIMIT else (0, len(maybe))
    return {sure.union(chosen) for size in sizes for chosen in combinations(maybe, size)}


def twins(store: Store, sites: Sequence[Indexed]) -> dict[str, str]:
    """Misspelt keys, each with what it stands for: a declared key of the same letters, else the one of more votes."""
    units: dict[str, set[tuple[str, ...]]] = {}
    for _, site in sites:
        for entry in site.keys:
            units.setdefault(entry.name, set()).add(scope_unit(site))
    settled = declared_keys(store)
    weight = {key: (key in settled, len(units.get(key, ()))) for key in {*units, *settled}}
    meant: dict[str, str] = {}
    for key in sorted(units.keys() - settled):
        rivals = sorted(other for other in weight if other != key and fold(other) == fold(key))
        best = max(rivals, key=weight.__getitem__, default=None)
        if best is not None and weight[best] > weight[key]:
            meant[key] = best
    return meant


def profiles(sites: Sequence[Indexed], meant: Mapping[str, str]) -> frozenset[KeySet]:
    """The key sets that one site writes and another reads or deletes.

    Only complete scopes count. A set with a misspelt key (a key of `meant`) is none, however consistent: it would
    shelter the very deviant that is looked for.
    """
    writers: dict[KeySet, set[int]] = {}
    readers: dict[KeySet, set[int]] = {}
    for index, site in sites:
        for keys in key_sets(site) if site.complete else ():
            if site.role in {"write", "readwrite", "bind"}:
                writers.setdefault(keys, set()).add(index)
            if site.role != "write":
                readers.setdefault(keys, set()).add(index)
    shared = (keys for keys in writers.keys() & readers.keys() if len(writers[keys] | readers[keys]) > 1)
    return frozenset(keys for keys in shared if keys and meant.keys().isdisjoint(keys))


def sheltered(site: Site, key: str, known: frozenset[KeySet]) -> bool:
    """Whether the scope may lack `key`: all it can be are profiles, or it holds one that lacks the key too."""
    if key_sets(site) <= known:
        return True
    return beside_profile(site, key, known)


def beside_profile(site: Site, key: str, known: frozenset[KeySet]) -> bool:
    """Whether the scope holds all of a profile that is without `key`."""
    sure = sure_keys(site)
    return any(profile <= sure and key not in profile for profile in known)
