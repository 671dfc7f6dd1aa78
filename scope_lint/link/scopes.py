"""The scope of a call: found among its arguments by a sink's specification, and turned into keys."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scope_lint.declared import fold
from scope_lint.facts import Argument
from scope_lint.link import dictionaries, filters
from scope_lint.link.conversions import is_template, shape
from scope_lint.link.describe import text_of
from scope_lint.link.frames import MAPPING_STARS, Frame
from scope_lint.link.parameters import gap_of
from scope_lint.link.program import CallSite
from scope_lint.link.strings import as_leaf
from scope_lint.link.values import Abstract, Dictionary, Gap, Held, Instance, Leaf, Sequence, is_none
from scope_lint.model import Key, Place, ScopeSpec, Sink, Spelling, Writing
from scope_lint.writings import words

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

Dependency = tuple[str, str, str]
"""A parameter: (path, function, name)."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a call's scope comes to under one frame.

    `needs` are the parameters that it is made of, which callers fill; `mapping` tells whether it was seen to be one.
    """

    place: Place
    keys: tuple[Key, ...] = ()
    gaps: tuple[Gap, ...] = ()
    opaque: str | None = None
    left_out: bool = False
    mapping: bool = True
    impossible: bool = False
    built_at: Place | None = None
    builders: tuple[str, ...] = ()
    inside: str = ""
    needs: tuple[Dependency, ...] = ()


def read(resolver: "Resolver", site: CallSite, sink: Sink, frame: Frame) -> Scope:
    """Return the scope of a call by the first of the sink's specifications that finds something."""
    found = None
    for spec in sink.scopes:
        found = _by_spec(resolver, site, spec, frame)
        if not found.left_out:
            return found
    return found or _left_out(site)


def _left_out(site: CallSite) -> Scope:
    return Scope(site.place, left_out=True, mapping=False)


def _by_spec(resolver: "Resolver", site: CallSite, spec: ScopeSpec, frame: Frame) -> Scope:
    if spec.form == "flat":
        return _flat(resolver, site, spec, frame)
    found, place, gaps = _argument(resolver, site, spec, frame)
    if not found:
        scope = _left_out(site)
        return scope if not gaps else replace(_opaque(gaps[0].reason, scope.place, found), needs=_gap_needs(gaps))
    for key in spec.path:
        found, around = _descend(found, key)
        if not found:
            gaps = tuple(replace(gap, dynamic=False) for gap in around)  # a key beside the scope is none of it
            return replace(_left_out(site), gaps=gaps, left_out=not gaps, needs=_gap_needs(gaps))
    if spec.form == "namespace":
        return _namespace(found, place)
    if spec.form in ("id", "template"):
        return _single(found, spec.keyword or "namespace", place)
    if spec.form == "filter":
        found = tuple(filters.unwrap(each) for each in found)
    return _mapping(found, place)


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
    if spec.position is None:
        return None
    positional = [
        argument for argument in site.call.arguments if argument.keyword is None and argument.stars != MAPPING_STARS
    ]
    before = positional[: spec.position + 1]
    if len(before) <= spec.position or any(argument.stars for argument in before):
        return None
    return before[spec.position]


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


def _flat(resolver: "Resolver", site: CallSite, spec: ScopeSpec, frame: Frame) -> Scope:
    """Read keys that are keywords of the call itself."""
    place = site.place
    spread = _spread(resolver, site, frame)
    twins = {fold(key) for key in spec.keys}  # a keyword that is spelt like a key is a misspelt one, not none
    held = {name: each for name, each in spread.items if fold(name) in twins}
    for argument in site.call.arguments:
        if argument.keyword is not None and fold(argument.keyword) in twins:
            values = resolver.resolve(site.at(frame).at(argument.value))
            held[argument.keyword] = Held(values, maybe=False, place=Place(site.unit.path, argument.span))
    missing = [name for name in spec.keys if name not in held]
    gaps = (*spread.gaps, *_by_position(site, missing)) if missing else ()
    if not held and not gaps:
        return _left_out(site)
    order = {name: position for position, name in enumerate(spec.keys)}
    keys = tuple(_key(name, held[name]) for name in sorted(held, key=lambda name: (order.get(name, len(order)), name)))
    needs = (*_needs(each.values for each in held.values()), *_gap_needs(gaps))
    return Scope(place, keys, gaps, needs=needs, opaque=None if keys else gaps[0].reason if gaps else None)


def _by_position(site: CallSite, missing: list[str]) -> Iterator[Gap]:
    """Yield the arguments without a keyword that are called like a key: which parameter they are for is not known."""
    for argument in site.call.arguments:
        text = text_of(site.unit, argument.value)
        if argument.keyword is not None or argument.stars == MAPPING_STARS:
            continue
        if argument.stars or any(words(name) and words(name) <= words(text) for name in missing):
            yield Gap(f"`{text}` is passed by position", Place(site.unit.path, argument.span))


def _descend(found: tuple[Abstract, ...], key: str) -> tuple[tuple[Abstract, ...], tuple[Gap, ...]]:
    """Return what the mappings hold under `key`, and the gaps that could hide it."""
    values: list[Abstract] = []
    gaps: list[Gap] = []
    for each in found:
        held = each.get(key) if isinstance(each, Dictionary) else None
        if held is not None:
            values += held.values
        elif isinstance(each, Dictionary):
            gaps += each.gaps
        else:
            gaps.append(gap_of(each, as_leaf(each).place))
    return tuple(values), tuple(gaps)


def _opaque(reason: str, place: Place, found: tuple[Abstract, ...]) -> Scope:
    return Scope(place, opaque=reason, mapping=False, needs=_needs([found]))


def _mapping(found: tuple[Abstract, ...], place: Place) -> Scope:
    """Return the keys of a scope that is a mapping; alternatives become maybes."""
    known = [each for each in found if isinstance(each, Dictionary)]
    unknown = [each for each in found if not isinstance(each, Dictionary)]
    if not known:
        reasons = sorted({_reason(each) for each in unknown})
        scope = _opaque("; ".join(reasons), place, tuple(unknown))
        return replace(scope, impossible=all(_is_no_mapping(each) for each in unknown))
    merged = dictionaries.merge(known)
    if merged is None:
        raise AssertionError("no dictionary among several")
    none_given = any(is_none(each) for each in unknown)
    rest = [each for each in unknown if not is_none(each)]
    gaps = (*merged.gaps, *(gap_of(each, as_leaf(each).place) for each in rest))
    keys = [_key(name, held) for name, held in merged.items]
    if none_given:
        keys = [replace_maybe(key) for key in keys]
    return Scope(
        merged.place if merged.literal else place,
        tuple(keys),
        gaps,
        built_at=merged.place if merged.literal else None,
        builders=merged.builders,
        inside=merged.inside,
        needs=(*_needs(held.values for _, held in merged.items), *_gap_needs(gaps), *_needs([tuple(rest)])),
    )


def replace_maybe(key: Key) -> Key:
    """Return the key as one that can be absent."""
    return Key(key.name, key.writings, maybe=True, place=key.place, exhaustive=key.exhaustive)


def _reason(value: Abstract) -> str:
    leaf = as_leaf(value)
    return f"{leaf.text}: {leaf.reason}"


def _is_no_mapping(value: Abstract) -> bool:
    """Tell whether a value is known to be something else: text, a number, a list."""
    if isinstance(value, Leaf):
        return value.constant is not None or value.type is not None or bool(value.conversions)
    return not isinstance(value, Instance)


def _namespace(found: tuple[Abstract, ...], place: Place) -> Scope:
    """Return the parts of a namespace as the keys `#0`, `#1` and so on."""
    known = [each for each in found if isinstance(each, Sequence)]
    if not known or len(known) < len(found):
        others = tuple(each for each in found if not isinstance(each, Sequence))
        scope = _opaque("; ".join(sorted({_reason(each) for each in others})), place, found)
        return replace(scope, impossible=not known and all(_is_no_mapping(each) for each in others))
    longest = max(known, key=lambda each: len(each.items))
    keys = []
    for position in range(len(longest.items)):
        parts = [each.items[position] for each in known if position < len(each.items)]
        values = tuple(dict.fromkeys(value for part in parts for value in part))
        held = Held(values, maybe=len(parts) < len(known), place=as_leaf(longest.items[position][0]).place)
        keys.append(_key(f"#{position}", held))
    is_open = any(each.open for each in known)
    gaps: tuple[Gap, ...] = (Gap("the namespace has parts that are not known", place),) if is_open else ()
    opaque = gaps[0].reason if is_open and not keys else None
    needs = _needs(part for each in known for part in each.items)
    return Scope(longest.place, tuple(keys), gaps, opaque=opaque, built_at=longest.place, needs=needs)


def _single(found: tuple[Abstract, ...], name: str, place: Place) -> Scope:
    """Return a scope that is one string, under the name of its keyword."""
    key = _key(name, Held(found, maybe=False, place=place))
    return Scope(place, (key,), needs=_needs([found]))


def _key(name: str, held: Held) -> Key:
    writings = tuple(dict.fromkeys(writing(each) for each in held.values))
    exhaustive = all(each.constant is not None for each in writings)
    return Key(name, writings, held.maybe, held.place, exhaustive)


def writing(value: Abstract) -> Writing:
    """Return one way in which the value of a key comes about."""
    leaf = as_leaf(value)
    conversions = leaf.conversions
    is_constant = leaf.constant is not None and not conversions
    written = shape(conversions) if not is_constant else f"const:{leaf.type}"
    last = conversions[-1] if conversions else None
    place = last.place if last is not None else leaf.argument or leaf.place
    return Writing(
        shape=written,
        spelling=_spelling(leaf),
        text=leaf.text,
        type=last.type if last is not None else leaf.type,
        constant=leaf.constant if is_constant else None,
        made=leaf.made,
        nullable=leaf.nullable,
        place=place,
        trail=leaf.trail,
    )


def _spelling(leaf: Leaf) -> Spelling:
    if not leaf.conversions:
        return leaf.spelling
    last = leaf.conversions[-1]
    if last.call:
        return "call"
    return "f-string" if is_template(last.text) or last.text == "f-string" else "attribute"


def _needs(groups: Iterable[tuple[Abstract, ...]]) -> tuple[Dependency, ...]:
    """Return the parameters that values are made of."""
    found: dict[Dependency, None] = {}
    for group in groups:
        for value in group:
            if isinstance(value, Leaf | Instance) and value.parameter is not None:
                found[value.parameter] = None
    return tuple(found)


def _gap_needs(gaps: tuple[Gap, ...]) -> tuple[Dependency, ...]:
    return tuple(dict.fromkeys(gap.parameter for gap in gaps if gap.parameter is not None))
