"""Filters: the keys that a filter expression asks for, out of its operators."""

from collections.abc import Iterable
from dataclasses import replace

from scope_lint.link import dictionaries
from scope_lint.link.values import Abstract, Dictionary, Held, Sequence

_ALL = frozenset({"AND", "and", "$and"})
_ANY = frozenset({"OR", "or", "$or"})
_NONE = frozenset({"NOT", "not", "$not", "$nor"})
_EQUALS = frozenset({"$eq", "eq"})


def unwrap(value: Abstract) -> Abstract:
    """Return a filter as the mapping of what it asks for.

    `{"AND": [{"user_id": uid}, {"app": {"$eq": app}}]}` asks for `user_id` and `app`; what stands under `OR` may be
    asked for, what stands under `NOT` is not.
    """
    if not isinstance(value, Dictionary):
        return value
    builder = dictionaries.Builder()
    builder.gaps += value.gaps
    for name, held in value.items:
        if name in _ALL | _ANY:
            for part in _parts(held.values):
                builder.spread(part, maybe=held.maybe or name in _ANY)
        elif name not in _NONE:
            builder.put(name, Held(tuple(map(_equals, held.values)), held.maybe, held.place))
    return replace(builder.build(value.place, value.inside, literal=value.literal), builders=value.builders)


def _parts(values: Iterable[Abstract]) -> list[Dictionary]:
    items = [item for value in values if isinstance(value, Sequence) for item in value.items]
    found = [unwrap(each) for item in items for each in item]
    return [each for each in found if isinstance(each, Dictionary)]


def _equals(value: Abstract) -> Abstract:
    """Return what a condition compares with, if it asks for equality."""
    if isinstance(value, Dictionary) and len(value.items) == 1 and not value.gaps:
        name, held = value.items[0]
        if name in _EQUALS and len(held.values) == 1:
            return held.values[0]
    return value
