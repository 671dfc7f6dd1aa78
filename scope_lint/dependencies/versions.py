"""Which sinks of a store a project can call, by the releases that it can have."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from scope_lint.dependencies.releases import normalised
from scope_lint.model import Sink, Store


def restricted(store: Store, specifiers: Sequence[str]) -> Store:
    """Return `store` as it applies to a project with a release in any of `specifiers`; none: nothing is known.

    See `scope_lint.dependencies.applicable`.
    """
    known = possible(specifiers, _checked(store))
    return replace(store, sinks=tuple(_held(sink, known) for sink in store.sinks if _can_be(sink, known)))


def possible(specifiers: Sequence[str], checked: Collection[Version]) -> frozenset[Version]:
    """Return the releases that lie in any of `specifiers`: those of `checked`, and those that a specifier names.

    None at all if there is a specifier set that holds none of them: the release can be one that nobody looked at.
    """
    found: set[Version] = set()
    for text in specifiers:
        allowed = SpecifierSet(text)
        exact = {version for clause in allowed if (version := _exact(clause.operator, clause.version)) is not None}
        inside = {version for version in exact.union(checked) if allowed.contains(version, prereleases=True)}
        if not inside:
            return frozenset()
        found |= inside
    return frozenset(found)


def _checked(store: Store) -> frozenset[Version]:
    """The releases that the store was read in, of the distribution of the first."""
    named = [release.partition("==")[::2] for release in store.checked]
    return frozenset(Version(version) for name, version in named if normalised(name) == normalised(named[0][0]))


def _exact(operator: str, version: str) -> Version | None:
    try:
        return Version(version) if operator in {"==", "==="} else None
    except InvalidVersion:  # `==2.*` and `===anything`
        return None


def _can_be(sink: Sink, known: Collection[Version]) -> bool:
    return not sink.versions or not known or any(_has(sink, version) for version in known)


def _held(sink: Sink, known: Collection[Version]) -> Sink:
    """The sink with its contracts if they hold for every release that is possible."""
    if not sink.versions or (known and all(_has(sink, version) for version in known)):
        return sink
    return replace(sink, refuses=(), ignores=(), keys=())


def _has(sink: Sink, version: Version) -> bool:
    """Whether a release has the sink; a pre-release, which neither `<2` nor `>=2` takes in, as what it leads up to."""
    return SpecifierSet(sink.versions).contains(version.base_version)
