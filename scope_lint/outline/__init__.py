"""outline: a file's text cut into the chunks that are parsed one by one.

The standard library's `ast` says where functions, methods and classes begin and end, and which names each mentions:
five times as fast as libcst, which then parses only the chunks that matter.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from scope_lint.model import Cell, Chunk, Outline, Place, Problem, Span
from scope_lint.outline.mentions import DEPTH, mentions
from scope_lint.outline.parsing import parse, quietly, set_apart, syntax_error
from scope_lint.outline.scan import without_form_feeds

__all__ = ["outline", "syntax_error"]

_BLANK = " \t\f"

# A literal in more characters than this is data. libcst would take 0.7 ms for each row of it.
_TABLE = 20_000

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Lines(NamedTuple):
    """Lines of the file, the last one included."""

    first: int
    last: int


class _Piece(NamedTuple):
    """A definition that becomes a chunk: its lines in the file, the last one included."""

    node: _Definition
    qualname: str
    kind: Literal["function", "method", "class"]
    first: int
    last: int
    inner: tuple["_Piece", ...]


def outline(path: str, text: str, cells: Sequence[Cell] = ()) -> Outline:
    """Cut a file into chunks: functions, methods, classes without their methods, and the rest of the module.

    Functions and classes under `if`, `try` and the like stay where they are, nested functions with their outer one;
    classes in a class are chunks of their own. A chunk's own name is not among its `names`. A literal at module level
    that is so large that it can only be data is left out.

    Args:
        path: the file's name, for problems.
        text: its text; lines end at a line feed, a carriage return or both, and nowhere else.
        cells: those of a notebook. One that this Python refuses is a chunk of its own, before all others: a cell that
            is half written must not take the rest with it.

    Returns:
        The chunks, with a problem in place of each that is nested too deep for libcst. The columns of nodes are those
        of the file (but for the rest of a line that begins with a form feed and code). A text that this Python refuses
        can still be of a newer one: it is one chunk, which libcst judges, unless it is nested too deep.
    """
    code = text.replace("\r\n", "\n").replace("\r", "\n")
    with quietly():
        code, apart = set_apart(path, code, cells) if cells else (code, Outline(()))
        tree = parse(path, code)
        rest = tree if isinstance(tree, Outline) else _cut(path, code, tree)
    return Outline((*apart.chunks, *rest.chunks), (*apart.problems, *rest.problems))


# ---------------------------------------------------------------------------------------------------------------------
# Cutting


def _cut(path: str, code: str, tree: ast.Module) -> Outline:
    lines = code.removesuffix("\n").split("\n") if code else []
    pieces = tuple(_pieces(tree.body, lines, ""))
    clean = without_form_feeds(code, lines)
    chunks: list[Chunk] = []
    problems: list[Problem] = []
    for piece in _all(pieces):
        names, deep = mentions(_parts(piece.node))
        if deep is not None:
            problems.append(_deep(path, lines, deep))
            continue
        indented = "." in piece.qualname
        cuts = [_Lines(inner.first, inner.last) for inner in piece.inner]
        source, table = _assemble(clean, piece.first, piece.last, cuts, indented=indented)
        chunks.append(Chunk(piece.qualname, piece.kind, source, table, names))
    tables = _tables(tree.body, lines)
    names, deep = mentions(node for node in _rest(tree.body) if node not in tables)
    if deep is not None:
        problems.append(_deep(path, lines, deep))
    else:
        cuts = sorted([*(_Lines(piece.first, piece.last) for piece in pieces), *tables.values()])
        source, table = _assemble(clean, 1, len(lines), cuts, indented=False)
        chunks.append(Chunk("", "module", source, table, names))
    return Outline(tuple(chunks), tuple(problems))


def _tables(body: Sequence[ast.stmt], lines: Sequence[str]) -> dict[ast.stmt, _Lines]:
    """The module's large literals, with their lines: statements that call nothing and share no line with another."""
    found: dict[ast.stmt, _Lines] = {}
    for position, node in enumerate(body):
        at = _Lines(node.lineno, node.end_lineno or node.lineno)
        size = sum(len(line) for line in lines[at.first - 1 : at.last])
        if size <= _TABLE or not isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
            continue
        neighbours = body[max(position - 1, 0) : position + 2]
        shares = any(at.first <= other.lineno <= at.last for other in neighbours if other is not node) or any(
            at.first <= (other.end_lineno or 0) <= at.last for other in neighbours if other is not node
        )
        if not shares and not any(isinstance(inner, ast.Call) for inner in ast.walk(node)):
            found[node] = at
    return found


def _pieces(body: Sequence[ast.stmt], lines: Sequence[str], outer: str) -> Iterator[_Piece]:
    """The definitions among the statements of a module or of a class, whose name is then `outer` with a dot."""
    for node in body:
        if isinstance(node, _DEFINITIONS):
            qualname = outer + node.name
            first, last = _first_line(node, lines), _last_line(node, lines)
            if isinstance(node, ast.ClassDef):
                inner = tuple(_pieces(node.body, lines, f"{qualname}."))
                yield _Piece(node, qualname, "class", first, last, inner)
            else:
                yield _Piece(node, qualname, "method" if outer else "function", first, last, ())


def _all(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    for piece in pieces:
        yield piece
        yield from _all(piece.inner)


def _first_line(node: _Definition, lines: Sequence[str]) -> int:
    """The line of the first `@`, of which `ast` does not tell; else that of `def` or `class`.

    Between an `@` and its expression are only brackets, comments and line ends. A line that is nothing but a backslash
    belongs to the line after it.
    """
    first = node.lineno
    if node.decorator_list:
        first = node.decorator_list[0].lineno
        while not lines[first - 1].lstrip(_BLANK).startswith("@"):
            first -= 1
    while first > 1 and lines[first - 2].strip(_BLANK) == "\\":
        first -= 1
    return first


def _last_line(node: _Definition, lines: Sequence[str]) -> int:
    """The line of the end, or the last of the empty ones to which backslashes behind it lead."""
    last = node.end_lineno or node.lineno
    line = lines[last - 1]
    if not line.endswith("\\"):
        return last
    rest = line.encode()[node.end_col_offset :].decode()
    while rest.endswith("\\") and "#" not in rest:
        rest = lines[last]
        last += 1
    return last


def _assemble(
    lines: Sequence[str], first: int, last: int, cuts: Sequence[_Lines], *, indented: bool
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of the lines from `first` to `last`, a `pass` for each cut, and which line is which (`Chunk.lines`)."""
    text = ["class _:"] if indented else []
    table = [(1, first - len(text))]
    position = first
    for cut in cuts:
        text += lines[position - 1 : cut.first - 1]
        text.append(_indentation(lines, cut.first) + "pass")
        position = cut.last + 1
        if cut.last > cut.first and position <= last:
            table.append((len(text) + 1, position))
    text += lines[position - 1 : last]
    text.append("")
    return "\n".join(text), tuple(table)


def _indentation(lines: Sequence[str], number: int) -> str:
    """The white space before the statement in a line; before the next one where only a backslash stands in it."""
    while lines[number - 1] == "\\":
        number += 1
    line = lines[number - 1]
    return line[: len(line) - len(line.lstrip(_BLANK))]


def _parts(node: _Definition) -> Iterator[ast.AST]:
    """What the chunk of a definition holds, apart from its name."""
    yield from node.decorator_list
    yield from getattr(node, "type_params", ())  # Python 3.12
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
        yield from _rest(node.body)
    else:
        yield node.args
        if node.returns is not None:
            yield node.returns
        yield from node.body


def _rest(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module or a class that are not cut out."""
    return (node for node in body if not isinstance(node, _DEFINITIONS))


def _deep(path: str, lines: Sequence[str], node: ast.AST) -> Problem:
    line = getattr(node, "lineno", 1)
    column = len(lines[line - 1].encode()[: getattr(node, "col_offset", 0)].decode()) + 1
    message = f"nested more than {DEPTH} deep, as long chains of calls, operators or elif are; split it"
    return Problem(Place(path, Span(line, column, line, column + 1)), message)
