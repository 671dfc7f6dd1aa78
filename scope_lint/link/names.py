"""Names of modules: what they are bound to, in this file or where they are imported from."""

import builtins
from typing import TYPE_CHECKING

from scope_lint.facts import Imported, Name
from scope_lint.link.describe import leaf
from scope_lint.link.frames import Ref
from scope_lint.link.program import FileIndex
from scope_lint.link.values import Abstract, ClassRef, External, FunctionRef, ModuleRef

if TYPE_CHECKING:
    from scope_lint.link.resolve import Resolver

BUILTINS = frozenset(dir(builtins))
_MOST_REEXPORTS = 20


def look_up(resolver: "Resolver", ref: Ref, value: Name) -> tuple[Abstract, ...]:
    """Return what the module-level or builtin name `value` is."""
    found = member(resolver, ref.unit.path, value.name)
    if found is not None:
        return found
    if value.name in BUILTINS:
        return (External(value.name, ref.place),)
    return (leaf(ref, f"{value.name} is not defined in the project"),)


def imported(resolver: "Resolver", ref: Ref, value: Imported) -> tuple[Abstract, ...]:
    """Return what an import binds: a module, function, class or value of the corpus, or something outside it."""
    path = _module(resolver, ref.unit.path, value)
    if value.member is None:
        return (External(value.module, ref.place) if path is None else ModuleRef(path),)
    if path is None or path == ref.unit.path:
        return (_outside(resolver, ref, value),)
    found = member(resolver, path, value.member)
    if found is not None:
        return found
    return (leaf(ref, f"{value.member} is not found in {path}"),)


def _module(resolver: "Resolver", path: str, value: Imported) -> str | None:
    modules = resolver.program.modules
    if value.level:
        return modules.relative(value.module, value.level, path)
    return modules.find(value.module, path)


def _outside(resolver: "Resolver", ref: Ref, value: Imported) -> Abstract:
    """Return a member of a namespace package of the corpus, or something outside the corpus."""
    dotted = f"{value.module}.{value.member}".lstrip(".")
    path = _module(resolver, ref.unit.path, Imported(dotted, None, value.level, value.span))
    return External(dotted, ref.place) if path is None else ModuleRef(path)


def member(resolver: "Resolver", path: str, name: str, hops: int = 0) -> tuple[Abstract, ...] | None:
    """Return what the module in `path` calls `name`: bound, defined, a submodule, or by `import *`; None if nothing."""
    program = resolver.program
    program.want(path, name)
    index = program.file(path)
    if index is None:
        return None
    bound = index.bindings.get(name)
    if bound:
        return tuple(each for unit, value in bound for each in resolver.module_value(unit, value))
    defined = _defined(index, path, name)
    if defined is not None:
        return (defined,)
    submodule = program.modules.submodule(path, name)
    if submodule is not None:
        return (ModuleRef(submodule),)
    if hops < _MOST_REEXPORTS and not name.startswith("_"):
        return _starred(resolver, index, name, hops)
    return None


def _defined(index: FileIndex, path: str, name: str) -> Abstract | None:
    if name in index.functions:
        return FunctionRef(path, name)
    if name in index.classes:
        return ClassRef(path, name)
    return None


def _starred(resolver: "Resolver", index: FileIndex, name: str, hops: int) -> tuple[Abstract, ...] | None:
    for unit, star in index.stars:
        value = unit.values[star]
        if not isinstance(value, Imported):
            continue
        path = _module(resolver, unit.path, value)
        found = None if path is None or path == unit.path else member(resolver, path, name, hops + 1)
        if found is not None:
            return found
    return None
