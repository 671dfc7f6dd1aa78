"""Attributes: of instances, classes, modules, and of what is not known."""

from dataclasses import replace
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute
from scope_lint.link import annotations, classes, conversions, invocations, names, parameters
from scope_lint.link.describe import ITSELF, leaf
from scope_lint.link.frames import Ref
from scope_lint.link.values import (
    Abstract,
    ClassRef,
    Conversion,
    Dictionary,
    External,
    FunctionRef,
    Instance,
    Leaf,
    ModuleRef,
    present,
)
from scope_lint.model import Place

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver


def resolve(resolver: "Resolver", ref: Ref, value: Attribute) -> tuple[Abstract, ...]:
    """Return what `base.name` comes to, for each alternative of the base."""
    found: list[Abstract] = []
    for base in present(resolver.resolve(ref.at(value.base))):
        found += _of(resolver, ref, value, base)
    return tuple(found)


def _of(resolver: "Resolver", ref: Ref, value: Attribute, base: Abstract) -> tuple[Abstract, ...]:
    name, place = value.name, ref.place
    if isinstance(base, Instance) and (base.cls, name) in resolver.running:
        return resolver.cut(ref, ITSELF)
    return _known(resolver, base, name, place) or (_unknown(ref, base, name),)


def _known(resolver: "Resolver", base: Abstract, name: str, place: Place) -> tuple[Abstract, ...]:
    """Return what the attribute is, or nothing if it is not known."""
    if isinstance(base, Instance):
        return of_instance(resolver, base, name, place)
    if isinstance(base, ClassRef):
        return _of_class(resolver, base, name)
    if isinstance(base, ModuleRef):
        return names.member(resolver, base.path, name) or ()
    if isinstance(base, External):
        return (External(f"{base.name}.{name}", place),)
    if isinstance(base, Leaf) and name in conversions.PROPERTIES and _is_id(base):
        return (base.converted(Conversion(f".{name}", conversions.PROPERTIES[name], place, call=False)),)
    return ()


def _is_id(base: Leaf) -> bool:
    """Tell whether `.hex` and the like mean another form of the same id."""
    return base.made or base.type == "UUID" or any(each.type == "UUID" for each in base.conversions)


def _unknown(ref: Ref, base: Abstract, name: str) -> Leaf:
    """Return an attribute that is not followed: named after the base as its caller knows it."""
    unknown = leaf(ref, "an attribute whose value is not known")
    if isinstance(base, Leaf) and base.dotted is not None:
        unknown = replace(unknown, member_of=f"{base.dotted}.{name}")
    if isinstance(base, Leaf) and not base.conversions and base.spelling in ("parameter", "name", "attribute"):
        return replace(unknown, text=f"{base.text}.{name}")
    if isinstance(base, Instance):
        return replace(unknown, text=f"{base.text}.{name}")
    return unknown


def of_instance(resolver: "Resolver", instance: Instance, name: str, place: Place) -> tuple[Abstract, ...]:
    """Return what the attribute of an instance can be: what methods gave it, a field, a property, or a method."""
    given = classes.assigned(resolver, instance, name) or classes.field_value(resolver, instance, name)
    if given:
        return tuple(_seen_from_outside(each, instance, name, place) for each in given)
    method = classes.method(resolver, instance.cls, name)
    if method is not None:
        if classes.is_property(method):
            return invocations.returned(resolver, method, instance, place)
        return (FunctionRef(method.unit.path, method.facts.qualname, instance),)
    return _declared(resolver, instance, name, place)


def _declared(resolver: "Resolver", instance: Instance, name: str, place: Place) -> tuple[Abstract, ...]:
    """Return what the annotation of a field says of it."""
    annotated = classes.field_annotation(resolver, instance.cls, name)
    if annotated is None:
        return ()
    owner, said = annotated
    text = f"{instance.text}.{name}"
    inner = parameters.annotated_instance(resolver, owner, said, text, place)
    if inner is not None:
        return (inner,)
    outside = parameters.external_class(resolver, owner, said)
    known = said.type or (outside if outside in annotations.BUILTIN_TYPES else None)
    reason = f"a field of {instance.cls.qualname}"
    return (Leaf("attribute", text, place, reason, type=known, nullable=said.nullable, class_name=outside),)


def _seen_from_outside(value: Abstract, instance: Instance, name: str, place: Place) -> Abstract:
    """Name an attribute after itself where nothing is known of who made the instance.

    What a constructor's parameter was is of no use to a reader of the method that uses the attribute.
    """
    if instance.made_by is not None:
        return value
    text = f"{instance.text}.{name}"
    if isinstance(value, Leaf) and value.parameter is not None:
        return replace(value, spelling="attribute", text=text, place=place, parameter=None, reason="an attribute")
    if isinstance(value, Instance) and value.parameter is not None:
        return replace(value, text=text, place=place, parameter=None)
    if isinstance(value, Dictionary):
        gaps = tuple(replace(gap, parameter=None) for gap in value.gaps)
        return replace(value, gaps=gaps)
    return value


def _of_class(resolver: "Resolver", cls: ClassRef, name: str) -> tuple[Abstract, ...]:
    method = classes.method(resolver, cls, name)
    if method is not None:
        bound = cls if classes.is_classmethod(method) else None
        return (FunctionRef(method.unit.path, method.facts.qualname, bound),)
    found = classes.class_value(resolver, cls, name)
    if found:
        return found
    known = resolver.program.file(cls.path)
    inner = f"{cls.qualname}.{name}"
    if known is not None and inner in known.classes:
        return (ClassRef(cls.path, inner),)
    return ()
