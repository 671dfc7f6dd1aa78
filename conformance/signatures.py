"""Signatures: the parameters of functions, methods and classes, as they are written."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.classes import lineage, method
from conformance.names import Class, Routine
from conformance.source import Source


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, and its default as an expression; None if it must be given."""

    name: str
    default: ast.expr | None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call takes, the receiver not counted.

    `by_position` are the parameters that a position fills, in order, of which the first `only_position` have no
    keyword; `by_keyword` those that only a keyword fills; `more` and `any_keyword` tell of `*args` and `**kwargs`.
    `body` is the function that runs, None where a class is made of its fields.
    """

    by_position: tuple[Parameter, ...]
    only_position: int = 0
    by_keyword: tuple[Parameter, ...] = ()
    more: bool = False
    any_keyword: bool = False
    body: ast.AST | None = None

    def keyword(self, name: str) -> Parameter | None:
        """Return the parameter that the keyword fills by its own name."""
        named = (*self.by_position[self.only_position :], *self.by_keyword)
        return next((each for each in named if each.name == name), None)

    def takes(self, name: str) -> bool:
        """Tell whether the call can be written with the keyword."""
        return self.any_keyword or self.keyword(name) is not None

    def names(self) -> list[str]:
        """Return the names of all parameters."""
        return [each.name for each in (*self.by_position, *self.by_keyword)]


def signature(source: Source, target: Class | Routine) -> Signature:
    """Return what a function, a bound method, or the making of an instance takes."""
    if isinstance(target, Routine):
        return _of_function(target)
    made_by = method(source, target, "__init__") or method(source, target, "__new__")
    return _of_fields(source, target) if made_by is None else _of_function(made_by)


def _of_function(target: Routine) -> Signature:
    said = target.node.args
    placed = [*said.posonlyargs, *said.args]
    defaults = [*[None] * (len(placed) - len(said.defaults)), *said.defaults]
    by_position = [Parameter(each.arg, default) for each, default in zip(placed, defaults, strict=True)]
    only_position = len(said.posonlyargs)
    if target.owner is not None and not _is_static(target) and by_position:
        by_position = by_position[1:]
        only_position = max(only_position - 1, 0)
    return Signature(
        tuple(by_position),
        only_position,
        tuple(Parameter(each.arg, value) for each, value in zip(said.kwonlyargs, said.kw_defaults, strict=True)),
        more=said.vararg is not None,
        any_keyword=said.kwarg is not None,
        body=target.node,
    )


def _is_static(target: Routine) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in target.node.decorator_list)


def _of_fields(source: Source, cls: Class) -> Signature:
    """Return what a class of fields takes: a dataclass, a model, a struct; fields of bases come first."""
    fields: dict[str, Parameter] = {}
    for owner in reversed(lineage(source, cls)):
        fields |= {each.name: each for each in _fields(owner)}
    return Signature(tuple(fields.values()))


def _fields(cls: Class) -> Iterator[Parameter]:
    for statement in cls.node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if not statement.target.id.startswith("_"):
            yield Parameter(statement.target.id, statement.value)
            alias = _alias(statement.value)
            if alias is not None:
                yield Parameter(alias, statement.value)


def _alias(value: ast.expr | None) -> str | None:
    """Return the other name of a field: `Field(alias="userId")`."""
    for given in value.keywords if isinstance(value, ast.Call) else ():
        if given.arg == "alias" and isinstance(given.value, ast.Constant) and isinstance(given.value.value, str):
            return given.value.value
    return None
