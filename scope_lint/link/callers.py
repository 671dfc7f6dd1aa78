"""Who calls a function: the calls whose target is known to be it, or can be nothing else."""

import builtins
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute
from scope_lint.link import classes
from scope_lint.link.describe import leaf
from scope_lint.link.frames import CannotBindError, Frame, bind
from scope_lint.link.program import CallSite, Definition
from scope_lint.link.values import Abstract, ClassRef, FunctionRef, Instance, Leaf

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

_BUILTIN_METHODS = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float, object) for name in dir(kind)
) | frozenset(dir(builtins))


def find(
    resolver: "Resolver", definition: Definition, reserved: frozenset[str]
) -> list[tuple[CallSite, Abstract | None]]:
    """Return the calls of `definition`, each with what it is called on.

    A call counts if its target resolves to the function. With an unknown receiver it counts only if the corpus
    defines that method name once, the name is no method of a builtin and none of the `reserved` (those of sinks),
    and the arguments fit.
    """
    name = called_name(definition)
    found = []
    for site in resolver.program.calls(name):
        resolver.begin()
        target = _target(resolver, site, definition)
        if target is not None:
            found.append((site, target.receiver))
        elif name not in reserved:
            receiver = _only_receiver(resolver, site, definition)
            if receiver is not None:
                found.append((site, receiver))
    return found


def called_name(definition: Definition) -> str:
    """Return the name by which a function is called: a class's for its `__init__`."""
    outer, _, name = definition.facts.qualname.rpartition(".")
    return outer.rpartition(".")[2] if name in ("__init__", "__new__") else name


def receiver_under(resolver: "Resolver", site: CallSite, frame: Frame) -> Abstract | None:
    """Return the instance that a method is called on, as it is known under `frame`."""
    callee = site.unit.values[site.call.function]
    if not isinstance(callee, Attribute):
        return None
    found = resolver.resolve(site.at(frame).at(callee.base))
    return next((each for each in found if isinstance(each, Instance)), None)


def _target(resolver: "Resolver", site: CallSite, definition: Definition) -> FunctionRef | None:
    """Return the reference through which the call reaches the function, or None."""
    path, qualname = definition.unit.path, definition.facts.qualname
    for target in resolver.module_value(site.unit, site.call.function):
        if isinstance(target, FunctionRef) and (target.path, target.qualname) == (path, qualname):
            return target
        if isinstance(target, ClassRef) and qualname.endswith(".__init__"):
            init = classes.method(resolver, target, "__init__")
            if init is not None and init.facts is definition.facts:
                return FunctionRef(path, qualname, Instance(target, "self", site.place))
    return None


def _only_receiver(resolver: "Resolver", site: CallSite, definition: Definition) -> Instance | None:
    """Return the instance that an unknown receiver must be, if the call can be nothing else than the method."""
    callee = site.unit.values[site.call.function]
    name = called_name(definition)
    if definition.facts.receiver is None or not isinstance(callee, Attribute) or name in _BUILTIN_METHODS:
        return None
    if resolver.program.definitions_named(name) != 1:
        return None
    receivers = resolver.module_value(site.unit, callee.base)
    if not all(isinstance(each, Leaf) and each.class_name is None and each.constant is None for each in receivers):
        return None
    cls = ClassRef(definition.unit.path, definition.facts.qualname.rpartition(".")[0])
    base = leaf(site.at(resolver.top).at(callee.base), "")
    instance = Instance(cls, base.text, base.place)
    try:
        bind(definition.facts, site.call, site.at(resolver.top), instance)
    except CannotBindError:
        return None
    return instance
