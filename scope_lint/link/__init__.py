"""Facts to sites, over the whole corpus."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scope_lint.facts import FileFacts, Wanted
from scope_lint.link import own_stores, sinks
from scope_lint.link.evidence import Evidence
from scope_lint.link.program import Program
from scope_lint.link.resolve import Resolver
from scope_lint.link.sinks import Match
from scope_lint.link.sites import Sites
from scope_lint.model import Key, Sink, Site, Store


class Linked(Struct, frozen=True):
    """What linking came to, as far as the facts go.

    `wanted` are definitions that it looked for, read or not; `wrappers` maps the names of the functions whose callers
    count to the words of which a file that calls them shows one (the class or module that the wrapper is in).
    `matched` are the sinks that a call was found for, `home_made` the stores that the calls themselves showed.
    """

    sites: tuple[Site, ...]
    wanted: frozenset[Wanted]
    wrappers: tuple[tuple[str, tuple[str, ...]], ...]
    matched: tuple[tuple[str, Sink], ...]
    home_made: tuple[Store, ...] = ()


def link(
    files: Iterable[FileFacts], paths: Collection[str], stores: Sequence[Store], imports: Mapping[str, frozenset[str]]
) -> Linked:
    """Resolve the scopes of all sink calls in `files`.

    `paths` are all files of the corpus, read or not; `imports` those that import the SDK of a store, by its name.
    """
    program = Program(files, paths)
    resolver = Resolver(program)
    names = frozenset(sink.call.rpartition(".")[2] for store in stores for sink in store.sinks)
    finder = Sites(resolver, names)
    evidence = Evidence(resolver, imports)
    matches = list(sinks.find(evidence, stores))
    own = list(own_stores.find(evidence, {(id(match.site.unit), match.site.index) for match in matches}))
    matches += own
    found = finder.evident([(match, finder.of(match)) for match in matches])
    forwarded = finder.forwarded()  # a call of a wrapper, even one that is called like a sink, is no sink itself
    kept = [(match, sites) for match, sites in found if (id(match.site.unit), match.site.index) not in forwarded]
    kept = _of_tenants(kept)
    return Linked(
        sites=_ordered([site for _, sites in kept for site in sites]),
        wanted=frozenset(program.wanted),
        wrappers=tuple(sorted({_wrapper(owner.unit.path, owner.facts.qualname) for owner in finder.wrappers.values()})),
        matched=tuple(dict.fromkeys((match.store.name, match.sink) for match, sites in kept if sites)),
        home_made=tuple(dict.fromkeys(match.store for match in own)),
    )


def _of_tenants(found: list[tuple[Match, list[Site]]]) -> list[tuple[Match, list[Site]]]:
    """Return the sink calls without those of a database that no call of the project asks by an identity.

    Vector stores hold much that is nobody's memory; what cannot be resolved stays, for it may be.
    """
    keyed = {match.store.name for match, sites in found for site in sites if site.keys}
    return [
        (match, sites)
        for match, sites in found
        if match.store.name in keyed or not _is_database(match.store) or any(site.opaque is not None for site in sites)
    ]


def _is_database(store: Store) -> bool:
    """Tell whether a store that ships is one of filters and payloads."""
    forms = {spec.form for sink in store.sinks for spec in sink.scopes}
    return store.declared_at is None and not forms.isdisjoint({"filter", "payload"}) and "flat" not in forms


def _wrapper(path: str, qualname: str) -> tuple[str, tuple[str, ...]]:
    outer, _, name = qualname.rpartition(".")
    stem = path.rpartition("/")[2].removesuffix(".py")
    module = path.rpartition("/")[0].rpartition("/")[2] if stem == "__init__" else stem
    words = [word for word in (outer.rpartition(".")[2], module) if word]
    return name, tuple(words)


def _ordered(sites: list[Site]) -> tuple[Site, ...]:
    """Return the sites in the order of their places; of several ways from one call to one sink, the shortest."""
    shortest: dict[Site, Site] = {}
    for site in sites:
        ends = replace(site, via=site.via[-1:], keys=tuple(_without_trail(key) for key in site.keys))
        known = shortest.get(ends)
        if known is None or (len(site.via), site.via) < (len(known.via), known.via):
            shortest[ends] = site
    unique = shortest.values()
    return tuple(sorted(unique, key=lambda site: (site.place, site.store, site.sink, site.scope_place, site.via)))


def _without_trail(key: Key) -> Key:
    return replace(key, writings=tuple(replace(writing, trail=()) for writing in key.writings))
