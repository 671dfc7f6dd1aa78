"""Classes: their bases, their methods, and the classes to which their attributes, properties and results lead."""

import ast
import builtins
from collections.abc import Iterator

from conformance.names import Class, Routine, classes_in, resolve
from conformance.source import Function, Imported, Source, is_overload


def lineage(source: Source, cls: Class) -> list[Class]:
    """Return the class and its bases in these wheels, nearest first."""
    found: list[Class] = []
    pending = [cls]
    while pending:
        each = pending.pop(0)
        if each not in found:
            found.append(each)
            pending += [base for node in each.node.bases for base in _base(source, each, node)]
    return found


def unknown_bases(source: Source, cls: Class) -> list[str]:
    """Return the bases of the class itself that are in none of the wheels, as dotted names from where they come."""
    return [_origin(cls, node) for node in cls.node.bases if not any(_base(source, cls, node))]


def _origin(cls: Class, node: ast.expr) -> str:
    """Return the full name of a base: builtins have the name of their module."""
    written = ast.unparse(node.value if isinstance(node, ast.Subscript) else node)
    first, dot, rest = written.partition(".")
    bound = cls.module.bindings.get(first)
    if isinstance(bound, Imported):
        first = f"{bound.module}.{bound.name}" if bound.name else bound.module
    elif bound is None and hasattr(builtins, first):
        first = f"builtins.{first}"
    return f"{first}{dot}{rest}"


def _base(source: Source, cls: Class, node: ast.expr) -> Iterator[Class]:
    """Yield the class that a base names; `Generic[T]` and `Base[T]` are written with what they are made of."""
    if isinstance(node, ast.Subscript):
        node = node.value
    found = resolve(source, cls.module, node)
    if isinstance(found, Class):
        yield found


def methods(cls: Class) -> Iterator[Function]:
    """Yield the methods that the class itself defines, properties included."""
    for statement in _body(cls.node.body):
        if isinstance(statement, Function) and not is_overload(statement):
            yield statement


def _body(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _body([*statement.body, *statement.orelse])


def method(source: Source, cls: Class, name: str) -> Routine | None:
    """Return the method that the name is on instances of the class, or None."""
    for owner in lineage(source, cls):
        for each in methods(owner):
            if each.name == name:
                return Routine(owner.module, each, owner)
    return None


def names(source: Source, cls: Class) -> list[str]:
    """Return the names of all methods, sorted."""
    return sorted({each.name for owner in lineage(source, cls) for each in methods(owner)})


def member(source: Source, cls: Class, name: str) -> list[Class]:
    """Return the classes that the attribute, property or result of a method can be an instance of."""
    found: list[Class] = []
    for owner in lineage(source, cls):
        for given, annotation in _members(owner):
            if given == name:
                found += classes_in(source, owner.module, annotation)
        if found:
            return found
    return found


def has_member(cls: Class, name: str) -> bool:
    """Tell whether the class itself gives its instances an attribute or property of that name."""
    return any(given == name for given, _ in _members(cls))


def around(source: Source, cls: Class) -> Iterator[Class]:
    """Yield the classes that are one step away: through any attribute, property or result of a method."""
    for owner in lineage(source, cls):
        for _, annotation in _members(owner):
            yield from classes_in(source, owner.module, annotation)


def _members(cls: Class) -> Iterator[tuple[str, ast.expr]]:
    """Yield the members of a class, each with what says of which class it is."""
    for statement in _body(cls.node.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.annotation
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value
        elif isinstance(statement, Function):
            if statement.returns is not None:
                yield statement.name, statement.returns
            else:
                yield from ((statement.name, made) for made in _made(statement))
            yield from _given_to_self(statement)


def _made(function: Function) -> Iterator[ast.expr]:
    """Yield the calls whose results a function without an annotation returns."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            yield node.value


def _given_to_self(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that a method gives `self`, by annotation, value or the parameter that is the value."""
    annotated = {each.arg: each.annotation for each in [*function.args.args, *function.args.kwonlyargs]}
    for node in ast.walk(function):
        match node:
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=annotation):
                yield name, annotation
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                said = annotated.get(value.id) if isinstance(value, ast.Name) else None
                yield name, value if said is None else said
            case _:
                pass
