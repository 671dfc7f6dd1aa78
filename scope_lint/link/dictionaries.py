"""Dictionaries: their entries in order, unions, look-ups, and copies."""

from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Binary, Call, Entry, Item, Mapping
from scope_lint.link.describe import leaf
from scope_lint.link.frames import Ref
from scope_lint.link.parameters import gap_of
from scope_lint.link.values import Abstract, Dictionary, External, Gap, Held, Leaf, Sequence, is_none
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


class Builder:
    """A dictionary in the making."""

    def __init__(self) -> None:
        self.items: dict[str, Held] = {}
        self.gaps: list[Gap] = []

    def put(self, name: str, held: Held) -> None:
        """Add an entry; one that is only made on some paths leaves what was there as an alternative."""
        before = self.items.get(name)
        if held.maybe and before is not None:
            values = tuple(dict.fromkeys((*before.values, *held.values)))
            held = Held(values, maybe=before.maybe, place=before.place)
        self.items[name] = held

    def remove(self, name: str, *, maybe: bool) -> None:
        """Drop a key, or make it a maybe."""
        before = self.items.get(name)
        if before is None:
            return
        if maybe:
            self.items[name] = replace(before, maybe=True)
        else:
            del self.items[name]

    def spread(self, other: Dictionary, *, maybe: bool) -> None:
        """Add what another dictionary holds."""
        for name, held in other.items:
            self.put(name, replace(held, maybe=held.maybe or maybe))
        self.gaps += other.gaps

    def build(self, place: Place, inside: str, *, literal: bool) -> Dictionary:
        """Return the dictionary."""
        return Dictionary(tuple(self.items.items()), tuple(dict.fromkeys(self.gaps)), place, inside, literal)


def mapping(resolver: "Resolver", ref: Ref, value: Mapping) -> tuple[Abstract, ...]:
    """Return what a dict display (with what was done to it since) comes to."""
    adopted = bool(value.entries) and value.entries[0].key is None and value.entries[0].span == value.span
    builder = Builder()
    base: Dictionary | None = None
    for position, entry in enumerate(value.entries):
        spread = _entry(resolver, ref, entry, builder)
        if position == 0:
            base = spread
    built = builder.build(ref.place, inside(resolver, ref), literal=not adopted)
    if adopted and base is not None:  # a dict that another place made, and that was changed here
        built = replace(built, place=base.place, inside=base.inside, literal=base.literal, builders=base.builders)
    return (built,)


def inside(resolver: "Resolver", ref: Ref) -> str:
    """Return the dotted name of the function whose code the value is part of."""
    module = resolver.program.modules.dotted(ref.unit.path)
    span = ref.value.span
    within = [
        function
        for function in ref.unit.facts.functions
        if function.qualname and function.span.line <= span.line and "<lambda" not in function.qualname
    ]
    if not within:
        return module
    return f"{module}.{max(within, key=lambda function: function.span).qualname}"


def _entry(resolver: "Resolver", ref: Ref, entry: Entry, builder: Builder) -> Dictionary | None:
    """Do what one entry does; return the dictionary that a `**` spreads, if that is known."""
    place = Place(ref.unit.path, entry.span)
    if entry.key is None:
        return _spread(resolver, ref, entry, builder)
    for key in resolver.resolve(ref.at(entry.key)):
        text = key_text(key)
        if text is None:
            parameter = key.parameter if isinstance(key, Leaf) else None
            builder.gaps.append(Gap("a key that cannot be known", place, dynamic=True, parameter=parameter))
        elif entry.value is None:
            builder.remove(text, maybe=entry.maybe)
        else:
            values = resolver.resolve(ref.at(entry.value))
            builder.put(text, Held(values, entry.maybe, place))
    return None


def key_text(key: Abstract) -> str | None:
    """Return the text of a key that is a constant."""
    return key.constant if isinstance(key, Leaf) and key.type == "str" and not key.conversions else None


def _spread(resolver: "Resolver", ref: Ref, entry: Entry, builder: Builder) -> Dictionary | None:
    if entry.value is None:
        return None
    place = Place(ref.unit.path, entry.span)
    found = resolver.resolve(ref.at(entry.value))
    known = [each for each in found if isinstance(each, Dictionary)]
    unknown = [each for each in found if not isinstance(each, Dictionary) and not is_none(each)]
    builder.gaps += [gap_of(each, place) for each in unknown]
    several = len(found) > 1
    merged = merge(known)
    if merged is not None:
        builder.spread(merged, maybe=entry.maybe or (several and len(known) < len(found)))
    return merged


def merge(found: list[Dictionary]) -> Dictionary | None:
    """Return several alternatives as one dictionary: a key that not all of them hold is a maybe."""
    if len(found) <= 1:
        return found[0] if found else None
    items: dict[str, Held] = {}
    for name in dict.fromkeys(name for each in found for name, _ in each.items):
        held = [each.get(name) for each in found]
        present = [each for each in held if each is not None]
        values = tuple(dict.fromkeys(value for each in present for value in each.values))
        maybe = len(present) < len(held) or any(each.maybe for each in present)
        items[name] = Held(values, maybe, present[0].place)
    gaps = tuple(dict.fromkeys(gap for each in found for gap in each.gaps))
    first = found[0]
    same = all(each.builders == first.builders for each in found)
    return Dictionary(
        tuple(items.items()), gaps, first.place, first.inside, first.literal, first.builders if same else ()
    )


def union(resolver: "Resolver", ref: Ref, value: Binary) -> tuple[Abstract, ...]:
    """Return `left | right` of two dictionaries."""
    sides = [resolver.resolve(ref.at(side)) for side in (value.left, value.right)]
    if not any(isinstance(each, Dictionary) for side in sides for each in side):
        return (leaf(ref, "an expression (|)"),)
    builder = Builder()
    for side in sides:
        known = [each for each in side if isinstance(each, Dictionary)]
        builder.gaps += [gap_of(each, ref.place) for each in side if not isinstance(each, Dictionary)]
        merged = merge(known)
        if merged is not None:
            builder.spread(merged, maybe=len(known) < len(side))
    return (builder.build(ref.place, inside(resolver, ref), literal=True),)


def item(resolver: "Resolver", ref: Ref, value: Item) -> tuple[Abstract, ...]:
    """Return `base[index]` of a dictionary or sequence that is known, else a leaf."""
    keys = resolver.resolve(ref.at(value.index))
    found: list[Abstract] = []
    for base in resolver.resolve(ref.at(value.base)):
        known = _held(base, keys[0]) if len(keys) == 1 else None
        found += known or (_unknown_item(ref, base),)
    return tuple(found)


def _unknown_item(ref: Ref, base: Abstract) -> Leaf:
    unknown = leaf(ref, "an item of something that is not known")
    if isinstance(base, External) and base.name == "os.environ":
        return replace(unknown, type="str")
    if isinstance(base, Leaf) and base.made:  # a part of what is made on the spot is no identity either
        return replace(unknown, made=True)
    return unknown


def _held(base: Abstract, key: Abstract) -> tuple[Abstract, ...]:
    if not isinstance(key, Leaf) or key.constant is None or key.conversions:
        return ()
    if isinstance(base, Dictionary) and key.type == "str":
        held = base.get(key.constant)
        return () if held is None or base.gaps else held.values
    if isinstance(base, Sequence) and key.type == "int" and not base.open:
        position = int(key.constant)
        if -len(base.items) <= position < len(base.items):
            return base.items[position]
    return ()


def method(
    resolver: "Resolver", ref: Ref, call: Call, name: str, bases: tuple[Abstract, ...]
) -> tuple[Abstract, ...] | None:
    """Return what `.copy()` or `.get()` of dictionaries gives."""
    if name == "copy" and not call.arguments:
        return bases
    if name not in ("get", "pop", "setdefault") or not call.arguments or call.arguments[0].keyword is not None:
        return None
    key = resolver.resolve(ref.at(call.arguments[0].value))
    found: list[Abstract] = []
    for base in bases:
        known = _held(base, key[0]) if len(key) == 1 else ()
        if not known:
            return None
        found += known
    return tuple(found)
