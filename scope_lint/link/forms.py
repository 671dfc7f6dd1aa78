"""The forms of a scope: how the argument that holds it is turned into keys."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scope_lint.facts import Call
from scope_lint.link import attributes, dictionaries, filters
from scope_lint.link.keys import Dependency, gap_needs, key_of, needs
from scope_lint.link.parameters import gap_of
from scope_lint.link.placeholders import filled_label, filled_text
from scope_lint.link.strings import as_leaf
from scope_lint.link.values import Abstract, Dictionary, Gap, Held, Instance, Leaf, Sequence, is_none, present
from scope_lint.model import Key, Place, ScopeSpec

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


@dataclass(frozen=True, slots=True)
class Scope:
    """What a call's scope comes to under one frame.

    `needs` are the parameters that it is made of, which callers fill; `mapping` tells whether it was seen to be one;
    `spec` is where it stands; `refused` are keywords that the call refuses or ignores.
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
    spec: ScopeSpec | None = None
    refused: tuple[Key, ...] = ()


Found = tuple[Abstract, ...]


def descend(resolver: "Resolver", found: Found, step: str) -> tuple[Found, tuple[Gap, ...]]:
    """Return what values hold under one step of a path, and the gaps that could hide it.

    A step is the key of a mapping, the keyword of the constructor that made an object, or `*` for all items of a list.
    """
    values: list[Abstract] = []
    gaps: list[Gap] = []
    for each in found:
        held, around = _under(resolver, each, step)
        values += held
        gaps += around
    return tuple(values), tuple(gaps)


def _under(resolver: "Resolver", value: Abstract, step: str) -> tuple[Found, tuple[Gap, ...]]:
    if step == "*":
        return _items(value)
    if isinstance(value, Dictionary):
        held = value.get(step)
        return ((), value.gaps) if held is None else (held.values, ())
    if isinstance(value, Instance):
        given = attributes.of_instance(resolver, value, step, value.place)
        if given:
            return given, ()
    made = value.made_by if isinstance(value, Leaf) else None
    if made is not None and isinstance(made.ref.value, Call):
        for argument in made.ref.value.arguments:
            if argument.keyword == step:
                return resolver.resolve(made.ref.at(argument.value)), ()
        if not any(argument.stars for argument in made.ref.value.arguments) and as_leaf(value).class_name is not None:
            return (), ()
    return (), () if is_none(value) else (gap_of(value, as_leaf(value).place),)


def _items(value: Abstract) -> tuple[Found, tuple[Gap, ...]]:
    if not isinstance(value, Sequence):
        return (value,), ()
    gaps = (Gap("the list has items that are not known", value.place),) if value.open else ()
    return tuple(each for item in value.items for each in item), gaps


def opaque(reason: str, place: Place, found: Found) -> Scope:
    """Return a scope of which nothing is known, for a reason."""
    return Scope(place, opaque=reason, mapping=False, needs=needs([found]))


def _mapping(_resolver: "Resolver", found: Found, place: Place, _spec: ScopeSpec) -> Scope:
    """Return the keys of a scope that is a mapping; alternatives become maybes."""
    known = [each for each in found if isinstance(each, Dictionary)]
    unknown = [each for each in found if not isinstance(each, Dictionary)]
    if not known:
        reasons = sorted({_reason(each) for each in unknown})
        scope = opaque("; ".join(reasons), place, tuple(unknown))
        return replace(scope, impossible=all(_is_no_mapping(each) for each in unknown))
    merged = dictionaries.merge(known)
    if merged is None:
        raise AssertionError("no dictionary among several")
    none_given = any(is_none(each) for each in unknown)
    rest = [each for each in unknown if not is_none(each)]
    gaps = (*merged.gaps, *(gap_of(each, as_leaf(each).place) for each in rest))
    keys = [key_of(name, held) for name, held in merged.items]
    if none_given:
        keys = [_maybe(key) for key in keys]
    return Scope(
        merged.place if merged.literal else place,
        tuple(keys),
        gaps,
        built_at=merged.place if merged.literal else None,
        builders=merged.builders,
        inside=merged.inside,
        needs=(*needs(held.values for _, held in merged.items), *gap_needs(gaps), *needs([tuple(rest)])),
    )


def _maybe(key: Key) -> Key:
    return Key(key.name, key.writings, maybe=True, place=key.place, exhaustive=key.exhaustive)


def _reason(value: Abstract) -> str:
    leaf = as_leaf(value)
    return f"{leaf.text}: {leaf.reason}"


def _is_no_mapping(value: Abstract) -> bool:
    """Tell whether a value is known to be something else: text, a number, a list."""
    if isinstance(value, Leaf):
        return value.constant is not None or value.type is not None or bool(value.conversions)
    return isinstance(value, Sequence)


def _filter(resolver: "Resolver", found: Found, place: Place, spec: ScopeSpec) -> Scope:
    return _mapping(resolver, tuple(filters.unwrap(resolver, each) for each in found), place, spec)


def _namespace(_resolver: "Resolver", found: Found, place: Place, spec: ScopeSpec) -> Scope:
    """Return the parts of a namespace as the keys `#0`, `#1` and so on; one string is the key `namespace`."""
    found = present(found)
    known = [each for each in found if isinstance(each, Sequence)]
    if not known or len(known) < len(found):
        return _no_labels(found, place)
    longest = max(known, key=lambda each: len(each.items))
    keys = []
    for position in range(len(longest.items)):
        parts = [each.items[position] for each in known if position < len(each.items)]
        values = tuple(dict.fromkeys(filled_label(value, spec) for part in parts for value in part))
        held = Held(values, maybe=len(parts) < len(known), place=as_leaf(longest.items[position][0]).place)
        keys.append(key_of(f"#{position}", held))
    is_open = any(each.open for each in known)
    gaps: tuple[Gap, ...] = (Gap("the namespace has parts that are not known", place),) if is_open else ()
    reason = gaps[0].reason if is_open and not keys else None
    made_of = needs([found, *(part for each in known for part in each.items)])
    return Scope(longest.place, tuple(keys), gaps, opaque=reason, built_at=longest.place, needs=made_of)


def _no_labels(found: Found, place: Place) -> Scope:
    """Return what is passed where a namespace belongs: one string, or something that is not known."""
    if all(isinstance(each, Leaf) and _is_text(each) for each in found):
        key = key_of("namespace", Held(found, maybe=False, place=place))
        return Scope(place, (key,), mapping=False, needs=needs([found]))
    others = tuple(each for each in found if not isinstance(each, Sequence))
    scope = opaque("; ".join(sorted({_reason(each) for each in others})), place, found)
    return replace(scope, impossible=all(_is_no_mapping(each) for each in found if not isinstance(each, Sequence)))


def _is_text(value: Leaf) -> bool:
    return (value.conversions[-1].type if value.conversions else value.type) == "str"


def _single(_resolver: "Resolver", found: Found, place: Place, spec: ScopeSpec) -> Scope:
    """Return a scope that is one string, under the name of its keyword."""
    values = tuple(dict.fromkeys(filled_text(each, spec) for each in found))
    key = key_of(spec.keyword or "namespace", Held(values, maybe=False, place=place))
    return Scope(place, (key,), needs=needs([found]))


def _names(_resolver: "Resolver", found: Found, place: Place, _spec: ScopeSpec) -> Scope:
    """Return the keys that a list of their names says, without values."""
    if not all(isinstance(each, Sequence) for each in found):
        return opaque("; ".join(sorted(_reason(each) for each in found)), place, found)
    keys: dict[str, Key] = {}
    gaps: list[Gap] = []
    for each in found:
        for item in each.items if isinstance(each, Sequence) else ():
            text = dictionaries.key_text(item[0]) if len(item) == 1 else None
            where = as_leaf(item[0]).place
            if text is None:
                gaps.append(Gap("a key that cannot be known", where, dynamic=True))
            else:
                keys[text] = Key(text, (), maybe=len(found) > 1, place=where, exhaustive=False)
    return Scope(place, tuple(keys.values()), tuple(gaps), needs=needs([found]))


def _carried(resolver: "Resolver", found: Found, place: Place, spec: ScopeSpec) -> Scope:
    """Return the attributes of an object as the keys that it carries.

    What `create_session(app_name=APP, user_id=uid)` gave carries what it was given.
    """
    keys = []
    made_of = [found]
    for name in spec.keys:
        values = tuple(value for each in found for value in _attribute(resolver, each, name))
        keys.append(key_of(name, Held(values, maybe=False, place=place)))
        made_of.append(values)
    return Scope(place, tuple(keys), needs=needs(made_of))


def _attribute(resolver: "Resolver", value: Abstract, name: str) -> Found:
    given = descend(resolver, (value,), name)[0] if isinstance(value, Leaf | Instance | Dictionary) else ()
    return given or (_unknown_attribute(value, name),)


def _unknown_attribute(value: Abstract, name: str) -> Leaf:
    leaf = as_leaf(value)
    text = f"{leaf.text}.{name}" if leaf.spelling in ("name", "parameter", "attribute") else name
    return Leaf("attribute", text, leaf.place, "carried along", parameter=leaf.parameter, argument=leaf.argument)


# A comparison in a filter: `user_id="…"`, `scope.user_id = '…'`, `"user_id": "…"`; a value filled in is marked.
_COMPARISON = re.compile(
    r"""(?:\bscope\.)?(?P<key>[A-Za-z_]\w*)\\?["']?\s*(?:=|==|:)\s*(?:\\?["'])*(?P<value>\x00\d+\x00|[^"'\s,{}()&\\]+)"""
)


def _filter_string(_resolver: "Resolver", found: Found, place: Place, _spec: ScopeSpec) -> Scope:
    """Return the keys that a filter expression in a string compares with values."""
    found = present(found)
    if len(found) != 1 or not isinstance(found[0], Leaf):
        return opaque("a filter that is not followed", place, found)
    leaf = found[0]
    parts = tuple(_parts(leaf))
    text = "".join(part if isinstance(part, str) else f"\x00{index}\x00" for index, part in enumerate(parts))
    keys = []
    for match in _COMPARISON.finditer(text):
        held = match["value"]
        value: Abstract = Leaf("constant", f'"{held}"', leaf.place, "a constant", type="str", constant=held)
        if held.startswith("\x00"):
            filled = parts[int(held.strip("\x00"))]
            value = filled if not isinstance(filled, str) else value
        if match["key"] == "scope":  # all of it, as JSON
            return opaque(f"{leaf.text}: a filter that compares whole scopes", place, found)
        keys.append(key_of(match["key"], Held((value,), maybe=False, place=place)))
    if not keys:
        return opaque(f"{leaf.text}: a filter that is not understood", place, found)
    return Scope(place, tuple(keys), needs=needs([found]))


def _parts(value: "str | Abstract") -> Iterator["str | Abstract"]:
    """Yield the texts and values that a string is made of, those of strings within it included."""
    if not isinstance(value, Leaf):
        yield value
    elif value.constant is not None and not value.conversions:
        yield value.constant
    elif value.parts and len(value.conversions) == 1:
        for part in value.parts:
            yield from _parts(part)
    else:
        yield value


FORMS: dict[str, Callable[["Resolver", Found, Place, ScopeSpec], Scope]] = {
    "mapping": _mapping,
    "payload": _mapping,
    "filter": _filter,
    "namespace": _namespace,
    "template": _single,
    "id": _single,
    "names": _names,
    "carried": _carried,
    "filter-string": _filter_string,
}
