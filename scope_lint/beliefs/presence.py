"""Presence: which keys a store's scopes must have, may have, and do not have.

Each belief has its own electorate, the sites that can answer (see `electorates`). Its sides are `present`, `maybe` (on
some paths), `absent`, `misspelt` (a twin stands in its place), `own profile` (absent on purpose) and `unrelated`
(present, but in a scope that no norm binds); the value is `required`, `optional`, `disallowed`, `one of`, or None for
half and half.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from scope_lint.beliefs.profiles import KeySet, beside_profile, profiles, sheltered, twins
from scope_lint.beliefs.votes import Ballot, Indexed, count, scope_unit, total, votes_for
from scope_lint.declared import declared_keys, form_of, match_of, narrows_by_default, takes
from scope_lint.model import Belief, Form, Side, Site, Store

# Forms whose keys an SDK's signature says nothing of: all its calls that have them answer together.
_TOGETHER = frozenset({"mapping", "filter", "payload", "filter-string", "names", "carried"})
# Forms with keys that can be absent.
_KEYED = frozenset({"mapping", "filter", "payload", "filter-string", "flat", "carried"})


def presence(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """What the sites of `store` believe about the keys of its scopes.

    Namespaces, templates and ids have no keys that could be absent; opaque sites do not vote.
    """
    keyed = [(index, site) for index, site in sites if site.opaque is None and form_of(store, site) in _KEYED]
    scoped = [(index, site) for index, site in keyed if not site.left_out]
    meant = twins(store, scoped)
    if store.declared_at is not None:
        yield from _required(store, scoped, meant)
        yield from _one_of(store, scoped)
    if _closed(store):
        yield from _undeclared(store, scoped)
    else:
        known = profiles(scoped, meant)
        asked = _asked(store, scoped)
        for voters in _electorates(store, scoped):
            yield from _believed(store, voters, known, meant, asked)
    passed = [(index, site) for index, site in sites if site.left_out or (site.opaque is None and site.keys)]
    yield from _given(store, passed)


def _asked(store: Store, sites: Sequence[Indexed]) -> frozenset[str] | None:
    """The keys by which something is looked for, where all else that is stored is a payload; None for all keys."""
    if all(form_of(store, site) != "payload" for _, site in sites):
        return None
    return frozenset(key.name for _, site in sites if form_of(store, site) != "payload" for key in site.keys)


def _closed(store: Store) -> bool:
    """Whether the user declared the keys, so that no other belongs."""
    return store.declared_at is not None and bool(store.tenant_keys or store.application_keys)


def _electorates(store: Store, sites: Sequence[Indexed]) -> list[list[Indexed]]:
    """The groups of sites that answer together.

    Keywords of an SDK's calls are asked per method: what a signature leaves optional differs between methods, while a
    user's table says what each sink takes. Where a read may name fewer keys than a write, reads and writes are
    asked apart. All other scopes of a store are one group.
    """
    groups: dict[tuple[str, str], list[Indexed]] = {}
    usual = _usual_forms(store, sites)
    for index, site in sites:
        form = usual.get(site.sink, form_of(store, site)) if site.left_out else form_of(store, site)
        by_method = bool(store.on) and store.declared_at is None and form not in _TOGETHER
        method = site.sink.rpartition(".")[2] if by_method else ""
        kind = "write" if site.role in {"write", "readwrite", "bind"} else "read"
        together = method or match_of(store, site) != "subset"
        groups.setdefault((method, "" if together else kind), []).append((index, site))
    return [groups[name] for name in sorted(groups)]


def _usual_forms(store: Store, sites: Sequence[Indexed]) -> dict[str, Form]:
    """The form in which most calls of a sink pass a scope: a call without one would have had it."""
    forms: dict[str, Counter[Form]] = {}
    for _, site in sites:
        if not site.left_out:
            forms.setdefault(site.sink, Counter())[form_of(store, site)] += 1
    return {sink: max(sorted(counted), key=counted.__getitem__) for sink, counted in forms.items()}


def _answers(store: Store, key: str, sites: Sequence[Indexed], meant: Mapping[str, str]) -> Iterator[Ballot]:
    """Who has `key`.

    A site whose other keys are unknown does not vote for its absence, be it on
    some paths only.
    """
    spelt = {twin for twin, right in meant.items() if right == key}
    for index, site in sites:
        if not takes(store, site, key):
            continue
        has = {entry.name: entry.maybe for entry in site.keys}
        if key in has:
            if site.complete or not has[key]:
                yield Ballot("maybe" if has[key] else "present", scope_unit(site), index)
        elif not spelt.isdisjoint(has):
            yield Ballot("misspelt", scope_unit(site), index)
        elif site.complete:
            yield Ballot("absent", scope_unit(site), index)


def _names(sites: Sequence[Indexed]) -> list[str]:
    return sorted({key.name for _, site in sites for key in site.keys})


_FOR = {
    "required": ("present",),
    "disallowed": ("absent", "misspelt", "own profile"),
    "one of": ("one",),
    "given": ("given",),
}


def _belief(store: Store, key: str, value: str | None, sides: tuple[Side, ...], *, pinned: bool = False) -> Belief:
    votes = votes_for(sides, *_FOR[value]) if value in _FOR else sides[0].votes
    return Belief(store.name, key, "presence", value, votes, total(sides), pinned, sides)


def _required(store: Store, sites: Sequence[Indexed], meant: Mapping[str, str]) -> Iterator[Belief]:
    """The declared keys, at every sink that can take them."""
    either = frozenset[str]().union(*store.one_of)
    for key in (*store.tenant_keys, *store.application_keys):
        sides = count(_answers(store, key, sites, meant))
        if key not in either and sides:
            yield _belief(store, key, "required", sides, pinned=True)


def _one_of(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """Declared alternatives; the belief goes by the first of them."""
    for group in store.one_of:
        sides = count(
            Ballot(_chosen(site, group), scope_unit(site), index)
            for index, site in sites
            if any(takes(store, site, key) for key in group)
        )
        if sides:
            yield _belief(store, group[0], "one of", sides, pinned=True)


def _chosen(site: Site, group: Sequence[str]) -> str:
    """How many alternatives a site gives: `one`, `several`, `none`, or `maybe` where that depends on the path."""
    given = [key.maybe for key in site.keys if key.name in group]
    if given.count(False) > 1:
        return "several"
    if False in given or len(given) > 1 or not site.complete:
        return "one"
    return "maybe" if given else "none"


def _undeclared(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """Keys that are none of the declared ones."""
    for key in _names(sites):
        if key not in declared_keys(store) and not _is_named_by_sinks(store, key):
            sides = count(_answers(store, key, sites, {}))
            if sides:
                yield _belief(store, key, "disallowed", sides, pinned=True)


def _is_named_by_sinks(store: Store, key: str) -> bool:
    """Whether a sink of the settings lists the key among its flat keywords."""
    return any(key in spec.keys for sink in store.sinks for spec in sink.scopes)


def _believed(
    store: Store,
    sites: Sequence[Indexed],
    known: frozenset[KeySet],
    meant: Mapping[str, str],
    asked: frozenset[str] | None,
) -> Iterator[Belief]:
    """What more than half do. A key of a profile, a declared one, and any in a subset store may be extra.

    Of a payload, only the keys that are `asked` for are an address.
    """
    by_index = dict(sites)
    welcome = {*store.tenant_keys, *store.application_keys}.union(*known)
    narrows = all(match_of(store, site) == "subset" for _, site in sites)
    judged = set(_names(sites)).difference(store.narrowing_keys, store.other_keys, *store.one_of)
    if asked is not None and any(form_of(store, site) == "payload" for _, site in sites):
        judged &= asked | {twin for twin, key in meant.items() if key in asked}
    # In a dict, and in a store of the user's that compares whole scopes, every key is a part of the address.
    if (narrows or store.declared_at is None) and all(form_of(store, site) == "flat" for _, site in sites):
        judged = {key for key in judged if not narrows_by_default(store, key)}
    answers = {key: list(_answers(store, key, sites, meant)) for key in sorted(judged)}
    if narrows and store.on and store.declared_at is None:
        # A call that passes on whichever identity it was given is what an SDK that matches on those given is for.
        answers = {key: [each for each in found if each.answer != "maybe"] for key, found in answers.items()}
    ballots = {
        key: [_sheltered(ballot, key, by_index, known) for ballot in found] for key, found in answers.items() if found
    }
    # Where a read may name fewer keys, a bare majority says little about a key that is left out.
    share = (3, 5) if narrows else (1, 2)
    values = {key: _verdict(count(found), share, extra=narrows or key in welcome) for key, found in ballots.items()}
    values |= dict.fromkeys(ballots.keys() & meant.keys(), "disallowed")
    has_norm = "required" in values.values()
    for key, found in ballots.items():
        if values[key] == "disallowed" and key not in meant and not has_norm:
            found = [_unbound(ballot, key, by_index, known) for ballot in found]  # noqa: PLW2901 - the same, sorted out
        yield _belief(store, key, values[key], count(found))


def _sheltered(ballot: Ballot, key: str, sites: Mapping[int, Site], known: frozenset[KeySet]) -> Ballot:
    if ballot.answer in {"absent", "maybe"} and sheltered(sites[ballot.site], key, known):
        return Ballot("own profile", ballot.unit, ballot.site)
    return ballot


def _unbound(ballot: Ballot, key: str, sites: Mapping[int, Site], known: frozenset[KeySet]) -> Ballot:
    """Where no key is common to most, a key is one too many only beside those of a profile."""
    if ballot.answer in {"present", "maybe"} and not beside_profile(sites[ballot.site], key, known):
        return Ballot("unrelated", ballot.unit, ballot.site)
    return ballot


def _verdict(sides: tuple[Side, ...], share: tuple[int, int], *, extra: bool) -> str | None:
    """What the sides come to: a key is required if more than `share` (numerator, denominator) surely have it."""
    sure, some, of = votes_for(sides, "present"), votes_for(sides, "present", "maybe"), total(sides)
    if share[1] * sure > share[0] * of:
        return "required"
    if 2 * some > of:
        return "optional"
    if 2 * some == of:
        return None
    return "optional" if extra else "disallowed"


def _given(store: Store, sites: Sequence[Indexed]) -> Iterator[Belief]:
    """Whether a scope is passed at all, where some sites pass none."""
    if all(site.left_out for _, site in sites):
        return
    closed = _closed(store) or (store.declared_at is not None and bool(store.one_of))
    for voters in [list(sites)] if closed else _electorates(store, sites):
        sides = count(
            Ballot("left out" if site.left_out else "given", scope_unit(site), index) for index, site in voters
        )
        given = votes_for(sides, "given")
        if given < total(sides):
            value = "given" if closed or 2 * given > total(sides) else None
            yield _belief(store, "", value, sides, pinned=closed)
