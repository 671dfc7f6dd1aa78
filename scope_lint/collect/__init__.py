"""One chunk of source to facts, by libcst; nothing of libcst leaves this package."""

import gc
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import libcst as cst

from scope_lint.collect import assignments, definitions, flow, imports, statements
from scope_lint.collect.positions import Positions
from scope_lint.collect.scope import Scope, Unit
from scope_lint.collect.table import Table
from scope_lint.facts import ChunkFacts
from scope_lint.model import Chunk, Place, Problem, Span

for _handlers in (assignments.HANDLERS, flow.HANDLERS, definitions.HANDLERS, imports.HANDLERS):
    statements.HANDLERS.update(_handlers)

# A chunk is at most 200 levels deep (see outline), and a level takes a handful of frames here and in libcst.
_RECURSION = 10_000


def collect(path: str, chunk: Chunk) -> ChunkFacts | Problem:
    """Return what `chunk` of the file `path` says, or why it cannot be parsed.

    The problem is `opaque`: that Python itself refuses the text is for the caller to know.
    """
    with _quietly():
        try:
            module = cst.parse_module(chunk.source)
            return _interpret(module, chunk, Positions(module, chunk.lines))
        except cst.ParserSyntaxError as error:
            return _problem(path, chunk, error)
        except RecursionError:  # what only libcst nests: thousands of strings side by side
            line = chunk.lines[0][1]
            return Problem(Place(path, Span(line, 1, line, 1)), "nested too deep for libcst; split it", opaque=True)


@contextmanager
def _quietly() -> Iterator[None]:
    """Parse without garbage collection (it halves the time), warnings of invalid escapes, and a low recursion limit."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    gc.disable()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def _problem(path: str, chunk: Chunk, error: cst.ParserSyntaxError) -> Problem:
    line = max(error.raw_line, 1)
    start, target = max((pair for pair in chunk.lines if pair[0] <= line), default=(1, 1))
    place, column = target + line - start, error.raw_column + 1
    return Problem(Place(path, Span(place, column, place, column + 1)), "libcst cannot parse this", opaque=True)


def _interpret(module: cst.Module, chunk: Chunk, positions: Positions) -> ChunkFacts:
    unit = Unit(Table(), positions)
    body, outer = _unwrapped(module, chunk)
    scope = Scope(unit, "class" if chunk.kind == "method" else "module", outer)
    statements.execute(scope, body)
    state = statements.finish(scope)
    if chunk.kind == "module":
        unit.functions.append(definitions.module_facts(scope, module))
        unit.bindings.extend(statements.bindings(scope, state))
    return ChunkFacts(
        qualname=chunk.qualname,
        values=unit.table.values(),
        functions=tuple(unit.functions),
        classes=tuple(unit.classes),
        bindings=tuple(unit.bindings),
        stars=tuple(unit.stars),
    )


def _unwrapped(module: cst.Module, chunk: Chunk) -> tuple[list[cst.CSTNode], str]:
    """Return the statements of a chunk without the `class _:` around an indented one, and the name they stand in."""
    outer = chunk.qualname.rpartition(".")[0]
    body: list[cst.CSTNode] = list(module.body)
    if chunk.kind in ("method", "class") and outer and isinstance(body[0], cst.ClassDef):
        body = list(body[0].body.body)
    return body, outer
