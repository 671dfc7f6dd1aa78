"""Who calls a function: the calls whose target is known to be it, or can be nothing else."""

import builtins
from typing import TYPE_CHECKING

from scope_lint.facts import Attribute
from scope_lint.link import classes
from scope_lint.link.frames import CannotBindError, bind
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
        target = _target(resolver, site, definition)
        if target is not None:
            found.append((site, target.receiver))
        elif name not in reserved and _can_only_be(resolver, site, definition):
            found.append((site, None))
    return found


def called_name(definition: Definition) -> str:
    """Return the name by which a function is called: a class's for its `__init__`."""
    outer, _, name = definition.facts.qualname.rpartition(".")
    return outer.rpartition(".")[2] if name in ("__init__", "__new__") else name


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


def _can_only_be(resolver: "Resolver", site: CallSite, definition: Definition) -> bool:
    """Tell whether a call on an unknown receiver can be nothing else than the method."""
    callee = site.unit.values[site.call.function]
    name = called_name(definition)
    if definition.facts.receiver is None or not isinstance(callee, Attribute) or name in _BUILTIN_METHODS:
        return False
    if resolver.program.definitions_named(name) != 1:
        return False
    receivers = resolver.module_value(site.unit, callee.base)
    if not all(isinstance(each, Leaf) and each.class_name is None and each.constant is None for each in receivers):
        return False
    try:
        bind(definition.facts, site.call, site.at(resolver.top), receivers[0])
    except CannotBindError:
        return False
    return True
