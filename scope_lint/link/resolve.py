"""Resolving values over the corpus: what a name, an attribute, a call comes to."""

from collections.abc import Callable
from typing import Any

from scope_lint.facts import (
    Attribute,
    Binary,
    Call,
    Choice,
    Constant,
    Element,
    Formatted,
    Function,
    Imported,
    Item,
    Mapping,
    Name,
    Parameter,
    Series,
    Starred,
    Template,
    Unknown,
)
from scope_lint.link import attributes, dictionaries, invocations, names, parameters, strings
from scope_lint.link.describe import ITSELF, describe, leaf
from scope_lint.link.frames import Frame, Ref
from scope_lint.link.program import Program, Unit
from scope_lint.link.values import Abstract, ClassRef, FunctionRef, Leaf, Sequence

# Limits per flow into a sink, so that an unrelated file cannot change what is found there. A value reached through more
# steps than these is not one that a reader could check either.
MOST_DEPTH = 60
MOST_STEPS = 5_000
MOST_ALTERNATIVES = 32


class Resolver:
    """Resolves values of one program; `begin` starts the count of work anew for the next flow.

    `running` are the attributes of classes that are being followed, so that one that is updated is not part of itself.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.top = Frame()
        self._steps = 0
        self._most = MOST_STEPS
        self._depth = 0
        self._cuts = 0
        self._open: set[tuple[int, int, int]] = set()
        self.running: set[tuple[ClassRef, str]] = set()

    def begin(self, most: int = MOST_STEPS) -> None:
        """Start the work of one flow, with so many steps at most."""
        self._steps = 0
        self._most = most

    def resolve(self, ref: Ref) -> tuple[Abstract, ...]:
        """Return the alternatives of a value, its parameters standing for what its frame says."""
        key = (id(ref.unit), ref.index)
        known = ref.frame.resolved.get(key)
        if known is not None:
            return known
        running = (*key, id(ref.frame))
        if running in self._open:
            return self.cut(ref, ITSELF)
        self._steps += 1
        if self._depth >= MOST_DEPTH or self._steps >= self._most:
            return self.cut(ref, "it goes through too many steps")
        cuts = self._cuts
        self._open.add(running)
        self._depth += 1
        try:
            found = _distinct(HANDLERS[type(ref.value)](self, ref, ref.value))
        finally:
            self._depth -= 1
            self._open.discard(running)
        if cuts == self._cuts:  # what was cut depends on where resolving began
            ref.frame.resolved[key] = found
        return found

    def first(self, ref: Ref) -> Abstract:
        """Return the first alternative of a value."""
        return self.resolve(ref)[0]

    def module_value(self, unit: Unit, index: int) -> tuple[Abstract, ...]:
        """Return the alternatives of a value that no call's arguments play a part in."""
        return self.resolve(Ref(unit, index, self.top))

    def cut(self, ref: Ref, reason: str) -> tuple[Abstract, ...]:
        """Return a value that is not followed for a reason that depends on where resolving began."""
        self._cuts += 1
        return (leaf(ref, reason),)


def _distinct(found: tuple[Abstract, ...]) -> tuple[Abstract, ...]:
    return tuple(dict.fromkeys(found))[:MOST_ALTERNATIVES]


def _constant(_resolver: Resolver, ref: Ref, value: Constant) -> tuple[Abstract, ...]:
    _, text = describe(ref.unit, ref.index)
    nullable = value.kind == "None"
    reason = f"the constant {text}"
    found = Leaf("constant", text, ref.place, reason, type=value.kind, constant=value.text, nullable=nullable)
    return (found,)


def _element(_resolver: Resolver, ref: Ref, value: Element) -> tuple[Abstract, ...]:
    return (Leaf("name", value.name, ref.place, "what a loop runs over"),)


def _binary(resolver: Resolver, ref: Ref, value: Binary) -> tuple[Abstract, ...]:
    if value.operator == "|":
        return dictionaries.union(resolver, ref, value)
    return strings.binary(resolver, ref, value)


def _series(resolver: Resolver, ref: Ref, value: Series) -> tuple[Abstract, ...]:
    items: list[tuple[Abstract, ...]] = []
    is_open, parameter = False, None
    for item in value.items:
        inner = ref.unit.values[item]
        if not isinstance(inner, Starred):
            items.append(resolver.resolve(ref.at(item)))
            continue
        alternatives = resolver.resolve(ref.at(inner.value))
        known = alternatives[0]
        if len(alternatives) == 1 and isinstance(known, Sequence):
            items += known.items
            is_open, parameter = is_open or known.open, parameter or known.parameter
        else:
            is_open = True
    return (Sequence(value.kind, tuple(items), ref.place, is_open, parameter),)


def _starred(_resolver: Resolver, ref: Ref, _value: Starred) -> tuple[Abstract, ...]:
    return (leaf(ref, "a `*` expression"),)


def _choice(resolver: Resolver, ref: Ref, value: Choice) -> tuple[Abstract, ...]:
    last = resolver.resolve(ref.at(value.options[-1]))
    if value.how == "and":  # what is false on the left is no identity
        return last
    found = tuple(each for option in value.options for each in resolver.resolve(ref.at(option)))
    if value.how != "or":
        return found
    # `a or b` passes on what is true: a None, or an empty constant, on the left is not what comes out.
    kept = tuple(each for each in found if each in last or not _is_false(each))
    return kept or found


def _is_false(value: Abstract) -> bool:
    return isinstance(value, Leaf) and value.constant in ("None", "", "0", "False") and not value.conversions


def _function(resolver: Resolver, ref: Ref, value: Function) -> tuple[Abstract, ...]:
    known = resolver.program.file(ref.unit.path)
    if known is not None and value.qualname in known.classes:
        return (ClassRef(ref.unit.path, value.qualname),)
    return (FunctionRef(ref.unit.path, value.qualname),)


def _unknown(_resolver: Resolver, ref: Ref, value: Unknown) -> tuple[Abstract, ...]:
    return (Leaf("expression", value.reason, ref.place, value.reason),)


HANDLERS: dict[type, Callable[[Resolver, Ref, Any], tuple[Abstract, ...]]] = {
    Constant: _constant,
    Name: names.look_up,
    Imported: names.imported,
    Parameter: parameters.resolve,
    Attribute: attributes.resolve,
    Item: dictionaries.item,
    Call: invocations.call,
    Element: _element,
    Template: strings.template,
    Formatted: strings.formatted,
    Binary: _binary,
    Mapping: dictionaries.mapping,
    Series: _series,
    Starred: _starred,
    Choice: _choice,
    Function: _function,
    Unknown: _unknown,
}
