"""Calls: what functions of the corpus return, what classes make, and what well-known functions do."""

from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute, Call
from scope_lint.link import classes, conversions, dictionaries, strings
from scope_lint.link.describe import describe, leaf
from scope_lint.link.frames import CannotBindError, Frame, Receiver, Ref, bind
from scope_lint.link.program import Definition
from scope_lint.link.values import (
    Abstract,
    ClassRef,
    Construction,
    Conversion,
    Dictionary,
    External,
    FunctionRef,
    Instance,
    Leaf,
    present,
)
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

# How many calls of functions of the corpus may stand inside one another while a value is followed.
MOST_NESTED = 24


def call(resolver: "Resolver", ref: Ref, value: Call) -> tuple[Abstract, ...]:
    """Return what the call comes to, for each alternative of what is called."""
    entered = _entered(resolver, ref, value)
    if entered:
        return entered
    found: list[Abstract] = []
    for target in present(resolver.resolve(ref.at(value.function))):
        found += _of(resolver, ref, value, target)
    return tuple(found)


def _of(resolver: "Resolver", ref: Ref, value: Call, target: Abstract) -> tuple[Abstract, ...]:
    if isinstance(target, FunctionRef):
        return _function(resolver, ref, value, target)
    if isinstance(target, ClassRef):
        return (Instance(target, leaf(ref, "").text, ref.place, Construction(ref)),)
    if isinstance(target, External):
        return _external(resolver, ref, value, target)
    known = _method_of_value(resolver, ref, value)
    if known is not None:
        return known
    unknown = leaf(ref, f"what {leaf(ref.at(value.function), '').text}() returns is not known")
    member_of = target.dotted if isinstance(target, Leaf) else None
    return (replace(unknown, member_of=member_of, made_by=Construction(ref)),)


def _entered(resolver: "Resolver", ref: Ref, value: Call) -> tuple[Abstract, ...]:
    """Return what `with … as x` gives `x`, if it is something from outside the corpus: most often itself."""
    callee = ref.unit.values[value.function]
    if not isinstance(callee, Attribute) or callee.name != "__enter__":
        return ()
    bases = resolver.resolve(ref.at(callee.base))
    return bases if all(isinstance(base, Leaf) for base in bases) else ()


def _function(resolver: "Resolver", ref: Ref, value: Call, target: FunctionRef) -> tuple[Abstract, ...]:
    definition = resolver.program.function(target.path, target.qualname)
    if definition is None:
        return (leaf(ref, f"{target.qualname}() was not read"),)
    owner, known = (target.path, target.qualname), ref.frame.bindings
    if owner in known:
        return (leaf(ref, f"{target.qualname}() calls itself"),)
    if len(known) >= MOST_NESTED:
        return (leaf(ref, "it goes through too many calls"),)
    try:
        bound = bind(definition.facts, value, ref, _receiver(definition, target))
    except CannotBindError:
        return (leaf(ref, f"the arguments do not fit {target.qualname}()"),)
    return _returns(resolver, definition, ref.frame.with_call(owner, bound), ref.place)


def _receiver(definition: Definition, target: FunctionRef) -> Abstract | None:
    return None if classes.is_staticmethod(definition) else target.receiver


def returned(resolver: "Resolver", definition: Definition, instance: Instance, place: Place) -> tuple[Abstract, ...]:
    """Return what a property of `instance`, read at `place`, comes to."""
    made = instance.made_by
    frame = resolver.top if made is None else made.ref.frame
    owner = (definition.unit.path, definition.facts.qualname)
    receiver = definition.facts.receiver
    if owner in frame.bindings or receiver is None:
        return ()
    return _returns(resolver, definition, frame.with_call(owner, {receiver: Receiver(instance)}), place)


def _returns(resolver: "Resolver", definition: Definition, frame: Frame, place: Place) -> tuple[Abstract, ...]:
    """Return what the function's `return`s come to under `frame`; mappings remember that it built them."""
    facts, unit = definition.facts, definition.unit
    if facts.generator:
        reason = f"{facts.qualname}() is a generator"
        return (Leaf("call", f"{facts.qualname}()", place, reason),)
    builder = f"{resolver.program.modules.dotted(unit.path)}.{facts.qualname}"
    found: list[Abstract] = []
    for value in facts.returns:
        for each in resolver.resolve(Ref(unit, value, frame)):
            if isinstance(each, Dictionary):
                found.append(replace(each, builders=(builder, *each.builders)))
            else:
                found.append(each)
    if not facts.returns:
        found.append(Leaf("call", f"{facts.qualname}()", place, f"{facts.qualname}() returns nothing"))
    return tuple(found)


def _external(resolver: "Resolver", ref: Ref, value: Call, target: External) -> tuple[Abstract, ...]:
    """Return what a function from outside the corpus gives."""
    plain = [argument for argument in value.arguments if argument.keyword is None and argument.stars == 0]
    if target.name in conversions.IDENTITY and plain:
        return resolver.resolve(ref.at(plain[-1].value))
    if target.name in conversions.FUNCTIONS and plain:
        text, type_ = conversions.FUNCTIONS[target.name]
        conversion = Conversion(text, type_, ref.place)
        return tuple(strings.convert(each, conversion) for each in resolver.resolve(ref.at(plain[0].value)))
    unknown = leaf(ref, f"what {target.name}() returns is not known")
    if target.name in conversions.MADE:
        return (replace(unknown, made=True, type=conversions.MADE[target.name]),)
    if target.name in conversions.TYPED:
        type_, nullable = conversions.TYPED[target.name]
        nullable = nullable and len(value.arguments) < 2  # noqa: PLR2004 - the second is the default
        return (replace(unknown, type=type_, nullable=nullable),)
    return (replace(unknown, class_name=target.name, made_by=Construction(ref)),)


def _method_of_value(resolver: "Resolver", ref: Ref, value: Call) -> tuple[Abstract, ...] | None:
    """Return what a method of a string or a mapping gives, if that is what is called."""
    callee = ref.unit.values[value.function]
    if not isinstance(callee, Attribute):
        return None
    bases = resolver.resolve(ref.at(callee.base))
    if callee.name in ("format", "join"):
        return strings.formatted_by_method(resolver, ref, value, callee)
    if callee.name in conversions.METHODS and all(isinstance(base, Leaf) for base in bases):
        text = f".{callee.name}({_constants(ref, value)})"
        conversion = Conversion(text, conversions.METHODS[callee.name], ref.place)
        return tuple(strings.convert(base, conversion) for base in bases)
    if all(isinstance(base, Dictionary) for base in bases):
        return dictionaries.method(resolver, ref, value, callee.name, bases)
    return None


def _constants(ref: Ref, value: Call) -> str:
    texts = []
    for argument in value.arguments:
        spelling, text = describe(ref.unit, argument.value)
        texts.append(text.replace('"', "'") if spelling == "constant" else "…")
    return ", ".join(texts)
