"""Checking a preset: each of its sinks in each release that it names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.answers import Answer, ask
from conformance.find import Receiver
from conformance.source import Source
from conformance.wheels import Release, parse
from scope_lint.model import ScopeSpec, Sink, Store

Answers = Mapping[Release, Sequence[Answer]]


class Row(Struct, frozen=True):
    """How many of a preset's sinks are how in one release; `hidden` are those that its source would not show."""

    preset: str
    release: str
    found: int = 0
    gone: int = 0
    differ: int = 0
    hidden: int = 0


class Fault(Struct, frozen=True):
    """What is wrong with a sink or receiver, `subject`; or a mere remark, on what can be meant so.

    `release` is "" for what holds for all.
    """

    subject: str
    text: str
    release: str = ""
    remark: bool = False


class Outcome(Struct, frozen=True):
    """What checking one preset came to."""

    preset: str
    rows: tuple[Row, ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def conforms(self) -> bool:
        """Whether there is nothing but remarks."""
        return all(fault.remark for fault in self.faults)


def check(store: Store, wheel: Callable[[Release], Path]) -> Outcome:
    """Return how the sinks of a preset stand in the releases that it was checked against.

    `wheel` returns the path of a release's wheel.

    Raises:
        ReleaseError: a release is not named rightly, or has no wheel.
    """
    releases = tuple(map(parse, store.checked))
    answers: dict[Release, Sequence[Answer]] = {}
    known: dict[str, bool] = {}
    for release in releases:
        source = Source(wheel(release), _others(release, releases, wheel))
        hosted = {name: Receiver(source, name) for name in _named(store) if _hosts(source, name)}
        for name, receiver in hosted.items():
            known[name] = known.get(name, False) or receiver.exists
        answers[release] = list(_answers(store, release, releases[0], source, hosted))
    rows = tuple(_row(store.name, release, _counted(release, releases, answers)) for release in releases)
    faults = [fault for release in releases for fault in _faults(release, releases, answers)]
    faults += [*_of_receivers(store, known), *_of_alternatives(store, answers)]
    return Outcome(store.name, rows, tuple(dict.fromkeys(faults)))


def _others(release: Release, releases: Sequence[Release], wheel: Callable[[Release], Path]) -> list[Path]:
    """Return a wheel of each other distribution of the preset: base classes can be there."""
    firsts = {each.name: each for each in reversed(releases)}
    return [wheel(each) for name, each in sorted(firsts.items()) if name != release.name]


def _receivers(store: Store, sink: Sink) -> tuple[str, ...]:
    """Return the classes and modules whose call a sink is; the imports of a store that names none."""
    return sink.receivers or store.receivers or store.on


def _named(store: Store) -> list[str]:
    return list(dict.fromkeys(each for sink in store.sinks for each in _receivers(store, sink)))


def _hosts(source: Source, receiver: str) -> bool:
    """Tell whether the wheel has the module that a receiver is, or its package."""
    return any(source.below(receiver)) or any(source.below(receiver.rpartition(".")[0] or receiver))


def _answers(
    store: Store, release: Release, first: Release, source: Source, hosted: Mapping[str, Receiver]
) -> Iterator[Answer]:
    """Yield what a release says of the sinks that it has by its version and the packages in its wheel.

    `versions` of sinks speak of the distribution that comes `first`.
    """
    for sink in store.sinks:
        fits = release.name == first.name and SpecifierSet(sink.versions).contains(release.version, prereleases=True)
        there = [hosted[each] for each in _receivers(store, sink) if each in hosted]
        if there and (fits or not sink.versions):
            yield ask(source, there, sink)


def _has(sink: Sink, release: Release, answers: Answers) -> bool:
    return any(each.sink is sink and (each.found or each.hidden) for each in answers[release])


def _counted(release: Release, releases: Sequence[Release], answers: Answers) -> list[Answer]:
    """Return the answers of a release but for sinks that are missing rightly.

    A call can be in another distribution of the preset, or come with a later release. `versions` cannot say that a
    distribution other than the first has lost one: there, any of its releases will do.
    """
    places = {
        other
        for other in releases
        if other.name != release.name or other.name != releases[0].name or _is_later(other, release)
    }
    return [
        each
        for each in answers[release]
        if each.found or not any(_has(each.sink, other, answers) for other in places - {release})
    ]


def _is_later(release: Release, other: Release) -> bool:
    return Version(release.version) > Version(other.version)


def _row(preset: str, release: Release, answers: Sequence[Answer]) -> Row:
    return Row(
        preset,
        str(release),
        found=sum(each.found for each in answers),
        gone=sum(not each.found and not each.hidden for each in answers),
        differ=sum(bool(each.differences) for each in answers),
        hidden=sum(each.hidden for each in answers),
    )


def _faults(release: Release, releases: Sequence[Release], answers: Answers) -> Iterator[Fault]:
    for each in _counted(release, releases, answers):
        call = each.sink.call
        if not each.found and not each.hidden:
            closest = f"; the closest name is `{each.closest}`" if each.closest else ""
            yield Fault(call, f"is gone{closest}", str(release))
        yield from (Fault(call, text, str(release)) for text in each.differences)
        yield from (Fault(call, text, remark=True) for text in each.remarks)


def _of_receivers(store: Store, known: Mapping[str, bool]) -> Iterator[Fault]:
    """Yield the receivers that are in none of the wheels."""
    for receiver in _named(store):
        if receiver not in known:
            yield Fault(receiver, "is in a package that no wheel has", remark=True)
        elif not known[receiver]:
            yield Fault(receiver, "is a receiver that is gone")


def _of_alternatives(store: Store, answers: Answers) -> Iterator[Fault]:
    """Yield the alternatives of scopes with which no release has the call written."""
    every = [each for found in answers.values() for each in found if each.found]
    for sink in store.sinks:
        fits = frozenset[int]().union(*(each.fits for each in every if each.sink is sink))
        for index, spec in enumerate(sink.scopes) if fits else ():
            if index not in fits:
                yield Fault(sink.call, f"takes {_said(spec)} in no release")


def _said(spec: ScopeSpec) -> str:
    keys = ", ".join(f"`{key}`" for key in spec.keys)
    return keys or (f"position {spec.position}" if spec.keyword is None else f"`{spec.keyword}`")
