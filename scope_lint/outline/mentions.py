"""The names that a piece of code mentions, and how deep it is."""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

DEPTH = 200  # nodes in one another: libcst, and whoever walks its tree, survives that

_LONGEST_NAME = 100
_NO_CODE = frozenset({"conversion", "ctx", "is_async", "kind", "level", "op", "ops", "simple", "str", "type_comment"})
_FLAT_ONLY_HERE = frozenset({ast.BoolOp, ast.Import, ast.ImportFrom})
_PATTERNS = frozenset({ast.MatchAs, ast.MatchClass, ast.MatchMapping, ast.MatchOr, ast.MatchSequence})
_PATTERN_LEVELS = 25  # each level of a pattern takes libcst four times as long: with ten of them, seconds


def mentions(roots: Iterable[ast.AST]) -> tuple[frozenset[str], ast.AST | None]:
    """Gather the names in `roots` and below, in one pass and without recursion.

    Names are identifiers, attributes, keywords, parameters, the names of definitions, imported names (each part of a
    dotted one) and string constants of up to 100 characters, but not of strings that are statements (docstrings).

    Returns:
        The names, and None; or the names so far, and the first node that is nested deeper than `DEPTH`.
    """
    names: set[str] = set()
    levels: dict[int, list[Any]] = {0: list(roots)}
    depth = 0
    while levels:
        level = levels.pop(depth, [])
        if depth > DEPTH and level:
            return frozenset(names), _first(level)
        depth += 1
        for further, nodes in _descend(level, names):
            levels.setdefault(depth + further, []).extend(nodes)
    return frozenset(names), None


def _descend(level: list[Any], names: set[str]) -> Iterator[tuple[int, list[Any]]]:
    """Add the names of one level; give what is below, each list with the levels to skip on the way there."""
    below: list[Any] = []
    for node in level:
        kind = node.__class__
        if kind is ast.Name:
            names.add(node.id)
        elif kind is ast.Attribute:
            names.add(node.attr)
            below.append(node.value)
        elif kind is ast.Constant:
            if node.value.__class__ is str and len(node.value) <= _LONGEST_NAME:
                names.add(node.value)
        elif kind is str:
            names.update(node.split("."))
        elif kind in _FLAT_ONLY_HERE:
            yield _further_levels(node), _children(node)
        elif kind in _PATTERNS:
            yield _PATTERN_LEVELS, _children(node)
        else:
            below += _children(node)
    if below:
        yield 0, below


def _children(node: Any) -> list[Any]:  # noqa: ANN401 - nodes of all kinds, and None
    """The nodes, identifiers and None one level below."""
    children: list[Any] = []
    for value in _values(node.__class__)(node):
        if value.__class__ is list:
            children += value
        else:
            children.append(value)
    return children


@cache
def _values(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """What gets the values of the fields that can hold code."""
    if kind is ast.Expr:
        return _expression
    fields = [field for field in getattr(kind, "_fields", ()) if field not in _NO_CODE]
    if kind is ast.MatchSingleton or not fields:
        return _nothing
    get = attrgetter(*fields)
    return get if len(fields) > 1 else lambda node: (get(node),)


def _expression(node: ast.Expr) -> tuple[ast.expr, ...]:
    return () if isinstance(node.value, ast.Constant) else (node.value,)


def _nothing(_node: object) -> tuple[Any, ...]:
    return ()


def _further_levels(node: ast.BoolOp | ast.Import | ast.ImportFrom) -> int:
    """How much deeper than `ast` says the first operand or name stands in libcst's tree."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 2
    module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
    return max(name.count(".") for name in (module, *(each.name for each in node.names)))


def _first(level: Iterable[Any]) -> ast.AST:
    """The first in the file of the nodes that have a place; on every level there is one."""
    located: list[ast.AST] = [node for node in level if hasattr(node, "lineno")]
    return min(located, key=attrgetter("lineno", "col_offset"))
