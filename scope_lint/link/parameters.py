"""Parameters: what a call passes for them, or what is known of them when no call is being followed."""

from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Constant, Formal, Parameter
from scope_lint.link import annotations, names
from scope_lint.link.describe import ITSELF
from scope_lint.link.frames import Bound, Defaulted, Extra, FromSpread, Passed, Receiver, Ref, Rest
from scope_lint.link.program import Unit
from scope_lint.link.values import Abstract, ClassRef, Dictionary, External, Gap, Held, Instance, Leaf, Sequence
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


def resolve(resolver: "Resolver", ref: Ref, value: Parameter) -> tuple[Abstract, ...]:
    """Return what the parameter stands for under the frame of `ref`."""
    bound = ref.frame.bindings.get((ref.unit.path, value.owner), {}).get(value.name)
    if bound is None:
        return _unbound(resolver, ref, value)
    return _bound(resolver, ref, value, bound)


def _bound(resolver: "Resolver", ref: Ref, value: Parameter, bound: Bound) -> tuple[Abstract, ...]:
    place = ref.place
    if isinstance(bound, Passed):
        return tuple(_as_annotated(each, ref, value) for each in passed(resolver, bound))
    if isinstance(bound, Receiver):
        return (bound.value,)
    if isinstance(bound, Rest):
        return (Sequence("tuple", tuple(passed(resolver, each) for each in bound.items), place, bound.open),)
    if isinstance(bound, Extra):
        return (_extra(resolver, bound, place),)
    if isinstance(bound, FromSpread):
        return _from_spread(resolver, ref.unit, bound, value.name)
    return default(resolver, ref.unit, bound)


def _as_annotated(value: Abstract, ref: Ref, parameter: Parameter) -> Abstract:
    """Return an argument with the type that the parameter's annotation declares, if nothing else is known of it."""
    if not isinstance(value, Leaf) or value.type is not None or value.conversions:
        return value
    for function in ref.unit.facts.functions:
        if function.qualname == parameter.owner:
            annotated = next((each.annotation for each in function.formals if each.name == parameter.name), None)
            said = annotations.read(ref.unit, annotated)
            return value if said.type is None else replace(value, type=said.type, nullable=said.nullable)
    return value


def passed(resolver: "Resolver", argument: Passed) -> tuple[Abstract, ...]:
    """Return what an argument comes to where it is written."""
    found = resolver.resolve(argument.ref)
    return tuple(each.passed_at(argument.place) if isinstance(each, Leaf) else each for each in found)


def default(resolver: "Resolver", unit: Unit, bound: Defaulted) -> tuple[Abstract, ...]:
    """Return the default of a parameter that the call at `bound.place` leaves out."""
    if bound.default is None:
        return (Leaf("unknown", "*…", bound.place, "a `*` argument fills it"),)
    found = resolver.module_value(unit, bound.default)
    return tuple(each.passed_at(bound.place) if isinstance(each, Leaf) else each for each in found)


def _extra(resolver: "Resolver", bound: Extra, place: Place) -> Dictionary:
    items = [(name, Held(passed(resolver, each), maybe=False, place=each.place)) for name, each in bound.keywords]
    gaps: list[Gap] = []
    for spread in bound.spreads:
        found = resolver.resolve(spread.ref)
        if len(found) == 1 and isinstance(found[0], Dictionary):
            items += found[0].items
            gaps += found[0].gaps
        else:
            gaps.append(gap_of(found[0], spread.place))
    return Dictionary(tuple(items), tuple(gaps), place, "", literal=False)


def gap_of(value: Abstract, place: Place) -> Gap:
    """Return the gap that `**value` leaves in a dictionary."""
    if isinstance(value, Leaf):
        reason = f"`**{value.text}`: {value.reason}"
        return Gap(reason, place, itself=value.reason == ITSELF, parameter=value.parameter)
    return Gap("a `**` of something that is no mapping", place)


def _from_spread(resolver: "Resolver", unit: Unit, bound: FromSpread, name: str) -> tuple[Abstract, ...]:
    """Return what a mapping spread at the call holds for the parameter, or its default."""
    found: list[Abstract] = []
    for spread in bound.spreads:
        for each in resolver.resolve(spread.ref):
            held = each.get(name) if isinstance(each, Dictionary) else None
            if held is not None:
                found += held.values
    if found:
        return tuple(found)
    if bound.default is not None:
        return default(resolver, unit, Defaulted(bound.default, bound.place))
    return (Leaf("unknown", "**…", bound.place, "a `**` argument fills it"),)


def _unbound(resolver: "Resolver", ref: Ref, value: Parameter) -> tuple[Abstract, ...]:
    """Return what is known of a parameter that nothing is bound to: `self`, an annotated class, or a leaf."""
    place, who = ref.place, (ref.unit.path, value.owner, value.name)
    facts = next((each for each in ref.unit.facts.functions if each.qualname == value.owner), None)
    formals = () if facts is None else facts.formals
    formal = next((each for each in formals if each.name == value.name), None)
    if facts is None or formal is None:
        return (_plain(value, place, who),)
    if facts.receiver == value.name:
        return (Instance(ClassRef(ref.unit.path, value.owner.rpartition(".")[0]), value.name, place),)
    if formal.kind == "kwargs":
        reason = f"`**{value.name}` is whatever callers of {value.owner}() pass"
        return (Dictionary((), (Gap(reason, place, parameter=who),), place, "", literal=False),)
    if formal.kind == "args":
        return (Sequence("tuple", (), place, open=True, parameter=who),)
    return (_annotated(resolver, ref, formal, value),)


def _plain(value: Parameter, place: Place, who: tuple[str, str, str]) -> Leaf:
    return Leaf("parameter", value.name, place, f"a parameter of {value.owner}()", parameter=who)


def _annotated(resolver: "Resolver", ref: Ref, formal: Formal, value: Parameter) -> Abstract:
    unit, place, who = ref.unit, ref.place, (ref.unit.path, value.owner, value.name)
    said = annotations.read(unit, formal.annotation)
    instance = annotated_instance(resolver, unit, said, value.name, place)
    if instance is not None:
        return replace(instance, parameter=who)
    outside = external_class(resolver, unit, said)
    known = said.type or (outside if outside in annotations.BUILTIN_TYPES else None)
    nullable = said.nullable or _is_none(unit, formal.default)
    return replace(_plain(value, place, who), type=known, nullable=nullable, class_name=outside)


def _is_none(unit: Unit, default: int | None) -> bool:
    value = None if default is None else unit.values[default]
    return isinstance(value, Constant) and value.kind == "None"


def annotated_instance(
    resolver: "Resolver", unit: Unit, said: annotations.Annotated, text: str, place: Place
) -> Instance | None:
    """Return an instance of the one class of the corpus that an annotation names."""
    for index in said.classes if len(said.classes) == 1 else ():
        for found in _class_of(resolver, unit, index):
            if isinstance(found, ClassRef):
                return Instance(found, text, place, nullable=said.nullable)
    return None


def external_class(resolver: "Resolver", unit: Unit, said: annotations.Annotated) -> str | None:
    """Return the dotted name of the one class outside the corpus that an annotation names."""
    for index in said.classes if len(said.classes) == 1 else ():
        for found in _class_of(resolver, unit, index):
            if isinstance(found, External):
                return found.name
    return None


def _class_of(resolver: "Resolver", unit: Unit, index: int) -> tuple[Abstract, ...]:
    value = unit.values[index]
    if isinstance(value, Constant) and value.kind == "str":
        return names.member(resolver, unit.path, value.text) or ()
    return resolver.module_value(unit, index)
