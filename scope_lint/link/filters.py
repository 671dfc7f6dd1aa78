"""Filters: the keys that a filter expression asks for, out of its operators and the objects that SDKs have for it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Call
from scope_lint.link import dictionaries
from scope_lint.link.values import Abstract, Dictionary, Held, Leaf, Sequence

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

_ALL = frozenset({"AND", "and", "$and"})
_ANY = frozenset({"OR", "or", "$or"})
_NONE = frozenset({"NOT", "not", "$not", "$nor"})
_EQUALS = frozenset({"$eq", "eq", "any", "value"})
# Keywords of filter objects, such as qdrant's Filter and LlamaIndex' MetadataFilters: what must hold, and what may.
_OBJECT_ALL = frozenset({"must", "filters"})
_OBJECT_ANY = frozenset({"should"})


def unwrap(resolver: "Resolver", value: Abstract) -> Abstract:
    """Return a filter as the mapping of what it asks for.

    `{"AND": [{"user_id": uid}, {"app": {"$eq": app}}]}` asks for `user_id` and `app`; what stands under `OR` may be
    asked for, what stands under `NOT` is not. `Filter(must=[FieldCondition(key=…, match=MatchValue(value=…))])` and
    `MetadataFilters(filters=[MetadataFilter(key=…, value=…)])` are filters, too.
    """
    if isinstance(value, Leaf):
        return _unwrap_object(resolver, value)
    if not isinstance(value, Dictionary):
        return value
    builder = dictionaries.Builder()
    builder.gaps += value.gaps
    for name, held in value.items:
        if name in _ALL | _ANY:
            for part in _parts(resolver, held.values):
                builder.spread(part, maybe=held.maybe or name in _ANY)
        elif name not in _NONE:
            values = tuple(equals(resolver, each) for each in held.values)
            builder.put(name, Held(values, held.maybe, held.place))
    return replace(builder.build(value.place, value.inside, literal=value.literal), builders=value.builders)


def _parts(resolver: "Resolver", values: Iterable[Abstract]) -> list[Dictionary]:
    items = [item for value in values if isinstance(value, Sequence) for item in value.items]
    items += [(value,) for value in values if not isinstance(value, Sequence)]
    found = [unwrap(resolver, each) for item in items for each in item]
    return [each for each in found if isinstance(each, Dictionary)]


def equals(resolver: "Resolver", value: Abstract) -> Abstract:
    """Return what a condition compares with, if it asks for equality."""
    if isinstance(value, Dictionary) and len(value.items) == 1 and not value.gaps:
        name, held = value.items[0]
        if name in _EQUALS and len(held.values) == 1:
            return held.values[0]
    if isinstance(value, Leaf):
        given = dict(_keywords(resolver, value))
        if len(given) == 1 and _EQUALS & given.keys() and not value.conversions:
            (held_values,) = given.values()
            return held_values[0] if len(held_values) == 1 else value
    return value


def _keywords(resolver: "Resolver", value: Leaf) -> Iterator[tuple[str, tuple[Abstract, ...]]]:
    """Yield the keyword arguments of the constructor that made an object of a class outside the corpus."""
    call = None if value.made_by is None or value.class_name is None else value.made_by.ref.value
    if value.made_by is None or not isinstance(call, Call):
        return
    for argument in call.arguments:
        if argument.keyword is not None:
            yield argument.keyword, resolver.resolve(value.made_by.ref.at(argument.value))


def _unwrap_object(resolver: "Resolver", value: Leaf) -> Abstract:
    given = dict(_keywords(resolver, value))
    if given.keys().isdisjoint({"key", *_OBJECT_ALL, *_OBJECT_ANY}):
        return value
    builder = dictionaries.Builder()
    for name in sorted(_OBJECT_ALL | _OBJECT_ANY):
        for part in _parts(resolver, given.get(name, ())):
            builder.spread(part, maybe=name in _OBJECT_ANY)
    if "key" in given:
        key = dictionaries.key_text(given["key"][0]) if len(given["key"]) == 1 else None
        compared = tuple(equals(resolver, each) for each in given.get("match", given.get("value", ())))
        if key is None or not compared:
            return value
        builder.put(key, Held(compared, maybe=False, place=value.place))
    return builder.build(value.place, "", literal=True)
