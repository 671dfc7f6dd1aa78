"""The scope of a call: found among its arguments by a sink's specifications, and turned into keys."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.declared import fold, is_identity
from scope_lint.facts import Argument
from scope_lint.link import dictionaries, filters
from scope_lint.link.describe import describe
from scope_lint.link.forms import FORMS, Scope, descend, opaque
from scope_lint.link.frames import MAPPING_STARS, Frame
from scope_lint.link.keys import gap_needs, key_of, needs
from scope_lint.link.parameters import gap_of
from scope_lint.link.program import CallSite
from scope_lint.link.values import Abstract, Dictionary, Gap, Held, is_none
from scope_lint.model import Key, Place, ScopeSpec, Sink, Store
from scope_lint.writings import words

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


def read(resolver: "Resolver", site: CallSite, store: Store, sink: Sink, frame: Frame) -> Scope:
    """Return the scope of a call by the first of the sink's specifications that finds keys, or else anything.

    Keywords that the call refuses are a scope, too, where there is no other: it was not left out.
    """
    refused = _refused(resolver, site, sink, frame)
    keyless = None
    for spec in sink.scopes:
        found = _by_spec(resolver, site, store, spec, frame)
        if not found.left_out:
            found = _of_identities(replace(found, spec=spec, refused=refused), store)
            if found.keys or len(sink.scopes) == 1:
                return found
            keyless = keyless or found
    if keyless is not None:
        return keyless
    keys = tuple(key for key in refused if key.name in sink.refuses)
    if keys:
        return Scope(site.place, keys, refused=refused, spec=ScopeSpec("flat", keys=sink.refuses))
    return replace(_left_out(site), refused=refused)


def _refused(resolver: "Resolver", site: CallSite, sink: Sink, frame: Frame) -> tuple[Key, ...]:
    """Return the keywords of a call that its sink refuses or ignores."""
    names = {*sink.refuses, *sink.ignores}
    return tuple(
        key_of(argument.keyword, _held(resolver, site, argument, frame))
        for argument in site.call.arguments
        if argument.keyword in names and argument.keyword is not None
    )


def _left_out(site: CallSite) -> Scope:
    return Scope(site.place, left_out=True, mapping=False)


def _of_identities(scope: Scope, store: Store) -> Scope:
    """Return the scope without what is no address: filters and payloads of an SDK hold more than identities."""
    spec = scope.spec
    if (
        store.declared_at is not None
        or spec is None
        or not (spec.form in ("filter", "payload") or "configurable" in spec.path)
    ):
        return scope
    keys = tuple(key for key in scope.keys if is_identity(store, key.name))
    gaps = tuple(replace(gap, dynamic=False) for gap in scope.gaps)  # a key that cannot be known is some other one
    return replace(scope, keys=keys, gaps=gaps)


def _by_spec(resolver: "Resolver", site: CallSite, store: Store, spec: ScopeSpec, frame: Frame) -> Scope:
    if spec.form == "flat":
        return _flat(resolver, site, spec, frame, signature=bool(store.on))
    found, place, gaps = _argument(resolver, site, spec, frame)
    if not found:
        scope = _left_out(site)
        return scope if not gaps else replace(opaque(gaps[0].reason, scope.place, found), needs=gap_needs(gaps))
    for step in spec.path:
        found, around = descend(resolver, found, step)
        if not found:
            gaps = tuple(replace(gap, dynamic=False) for gap in around)  # a key beside the scope is none of it
            return replace(_left_out(site), gaps=gaps, left_out=not gaps, needs=gap_needs(gaps))
    if all(is_none(each) for each in found) and spec.form not in ("id", "template"):
        return _left_out(site)
    return FORMS[spec.form](resolver, found, place, spec)


def _argument(
    resolver: "Resolver", site: CallSite, spec: ScopeSpec, frame: Frame
) -> tuple[tuple[Abstract, ...], Place, tuple[Gap, ...]]:
    """Return the argument that a specification names, its place, and the spread mappings that could hold it."""
    argument = _explicit(site, spec)
    if argument is not None:
        found = resolver.resolve(site.at(frame).at(argument.value))
        return found, Place(site.unit.path, site.unit.values[argument.value].span), ()
    spread = _spread(resolver, site, frame)
    held = None if spec.keyword is None else spread.get(spec.keyword)
    if held is not None:
        return held.values, held.place, ()
    starred = tuple(
        Gap("`*` arguments may hold the scope", Place(site.unit.path, each.span))
        for each in site.call.arguments
        if each.stars == 1 and spec.position is not None
    )
    return (), site.place, (*spread.gaps, *starred)


def _explicit(site: CallSite, spec: ScopeSpec) -> Argument | None:
    for argument in site.call.arguments:
        if argument.keyword is not None and argument.keyword == spec.keyword:
            return argument
    return None if spec.position is None else _at_position(site, spec.position)


def _at_position(site: CallSite, position: int) -> Argument | None:
    positional = [
        argument for argument in site.call.arguments if argument.keyword is None and argument.stars != MAPPING_STARS
    ]
    before = positional[: position + 1]
    if len(before) <= position or any(argument.stars for argument in before):
        return None
    return before[position]


def _spread(resolver: "Resolver", site: CallSite, frame: Frame) -> Dictionary:
    """Return the mappings that are spread at the call, as one dictionary."""
    builder = dictionaries.Builder()
    for argument in site.call.arguments:
        if argument.stars != MAPPING_STARS:
            continue
        place = Place(site.unit.path, argument.span)
        found = resolver.resolve(site.at(frame).at(argument.value))
        known = [each for each in found if isinstance(each, Dictionary)]
        builder.gaps += [gap_of(each, place) for each in found if not isinstance(each, Dictionary)]
        merged = dictionaries.merge(known)
        if merged is not None:
            builder.spread(merged, maybe=len(known) < len(found))
    return builder.build(site.place, "", literal=False)


def _flat(resolver: "Resolver", site: CallSite, spec: ScopeSpec, frame: Frame, *, signature: bool) -> Scope:
    """Read keys that are keywords of the call itself; `signature`: their positions, if they have any, are known."""
    place = site.place
    spread = _spread(resolver, site, frame)
    twins = {fold(key) for key in spec.keys}  # a keyword that is spelt like a key is a misspelt one, not none
    held = {name: each for name, each in spread.items if fold(name) in twins}
    held |= {
        name: _held(resolver, site, argument, frame)
        for argument in site.call.arguments
        for name in (argument.keyword,)
        if name is not None and fold(name) in twins
    }
    for name, position in spec.positions:
        placed = _at_position(site, position)
        if name not in held and placed is not None:
            held[name] = _held(resolver, site, placed, frame)
    missing = [name for name in spec.keys if name not in held]
    unplaced = [] if signature else [name for name in missing if name not in dict(spec.positions)]
    gaps = (*spread.gaps, *_by_position(site, unplaced)) if missing else ()
    if not held and not gaps:
        return _left_out(site)
    order = {name: position for position, name in enumerate(spec.keys)}
    keys = tuple(
        key_of(name, held[name]) for name in sorted(held, key=lambda name: (order.get(name, len(order)), name))
    )
    made_of = (*needs(each.values for each in held.values()), *gap_needs(gaps))
    return Scope(place, keys, gaps, needs=made_of, opaque=None if keys else gaps[0].reason if gaps else None)


def _held(resolver: "Resolver", site: CallSite, argument: Argument, frame: Frame) -> Held:
    values = tuple(filters.equals(resolver, each) for each in resolver.resolve(site.at(frame).at(argument.value)))
    return Held(values, maybe=False, place=Place(site.unit.path, argument.span))


def _by_position(site: CallSite, missing: list[str]) -> Iterator[Gap]:
    """Yield the arguments without a keyword that are called like a key: which parameter they are for is not known."""
    for argument in site.call.arguments:
        if argument.keyword is not None or argument.stars == MAPPING_STARS:
            continue
        spelling, text = describe(site.unit, argument.value)
        is_named = spelling in ("parameter", "name", "attribute", "subscript")
        if argument.stars or (is_named and any(words(name) and words(name) <= words(text) for name in missing)):
            yield Gap(f"`{text}` is passed by position", Place(site.unit.path, argument.span))
