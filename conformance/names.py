"""Names: what a dotted name means in a module, through imports and aliases, and which classes an annotation names."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.source import Bound, Function, Imported, Module, Source


@dataclass(frozen=True, slots=True)
class Class:
    """A class, and the module that defines it."""

    module: Module
    node: ast.ClassDef


@dataclass(frozen=True, slots=True)
class Routine:
    """A function, or a method of the class `owner`, and the module that defines it."""

    module: Module
    node: Function
    owner: Class | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """A module or package, by its name."""

    name: str


Meaning = Class | Routine | Package
Seen = frozenset[tuple[str, str]]
"""The names on the way, so that modules that import one another end."""


def lookup(source: Source, module: str, name: str, seen: Seen = frozenset()) -> Meaning | None:
    """Return what `name` is in a module, or None if that is nothing in these wheels."""
    here = source.module(module)
    if (module, name) in seen:
        return None
    seen |= {(module, name)}
    if here is not None and name in here.bindings:
        found = _meaning(source, here, here.bindings[name], seen)
        if found is not None:
            return found
    for star in () if here is None else here.stars:
        found = lookup(source, star, name, seen)
        if found is not None:
            return found
    whole = f"{module}.{name}"
    return Package(whole) if source.has(whole) else None


def _meaning(source: Source, module: Module, bound: Bound, seen: Seen) -> Meaning | None:
    match bound:
        case ast.ClassDef():
            return Class(module, bound)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return Routine(module, bound)
        case Imported(name=None):
            return Package(bound.module) if source.has(bound.module) else None
        case Imported():
            return lookup(source, bound.module, bound.name or "", seen)
        case _:
            return resolve(source, module, bound, seen)


def resolve(source: Source, module: Module, node: ast.expr, seen: Seen = frozenset()) -> Meaning | None:
    """Return what a dotted name that is written in a module means."""
    if isinstance(node, ast.Name):
        return lookup(source, module.name, node.id, seen)
    if isinstance(node, ast.Attribute):
        base = resolve(source, module, node.value, seen)
        return lookup(source, base.name, node.attr, seen) if isinstance(base, Package) else None
    return None


def classes_in(source: Source, module: Module, node: ast.expr | None, depth: int = 0) -> Iterator[Class]:
    """Yield the classes that an annotation, or the right side of an alias, names: all of `Optional[Union[A, "B"]]`."""
    most = 8  # a type that is written with more aliases of aliases than this is none that a client returns
    if node is None or depth > most:
        return
    match node:
        case ast.Constant(value=str(text)):
            yield from classes_in(source, module, _parsed(text), depth + 1)
        case ast.Name() | ast.Attribute():
            found = resolve(source, module, node)
            if isinstance(found, Class):
                yield found
            elif found is None and isinstance(node, ast.Name):
                alias = module.bindings.get(node.id)
                if isinstance(alias, ast.expr) and not isinstance(alias, ast.Constant):
                    yield from classes_in(source, module, alias, depth + 1)
        case ast.Call():
            yield from classes_in(source, module, node.func, depth + 1)
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from classes_in(source, module, child, depth + 1)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
