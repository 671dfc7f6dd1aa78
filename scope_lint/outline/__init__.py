"""outline: a file's text cut into the chunks that are parsed one by one.

The standard library's `ast` says where functions, methods and classes begin and end, and which names each mentions:
five times as fast as libcst, which then parses only the chunks that matter.
"""

import ast
import gc
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from scope_lint.model import Chunk, Outline, Place, Problem, Span
from scope_lint.outline.mentions import DEPTH, mentions
from scope_lint.outline.scan import Scan, without_form_feeds

_BLANK = " \t\f"
_WORD = re.compile(r"\w+")
_NEVER_SOURCE = re.compile("[\0\ud800-\udfff]")  # NUL, and halves of characters

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


def outline(path: str, text: str) -> Outline:
    """Cut a file into chunks: functions, methods, classes without their methods, and the rest of the module.

    Functions and classes under `if`, `try` and the like stay where they are, nested functions with their outer one;
    classes in a class are chunks of their own. A chunk's own name is not among its `names`. A literal at module level
    that is so large that it can only be data is left out.

    Args:
        path: the file's name, for problems.
        text: its text; lines end at a line feed, a carriage return or both, and nowhere else.

    Returns:
        The chunks, with a problem in place of each that is nested too deep for libcst. The columns of nodes are those
        of the file (but for the rest of a line that begins with a form feed and code). A text that this Python refuses
        can still be of a newer one: it is one chunk, which libcst judges, unless it is nested too deep.
    """
    code = text.replace("\r\n", "\n").replace("\r", "\n")
    with _without_collector(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError):
            return _refused(path, code)
        except (RecursionError, MemoryError):
            return Outline((), (_too_deep(path, code, Scan(code)),))
        return _cut(path, code, tree)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Switch the cyclic garbage collector off: it halves the speed of `ast`, and a syntax tree has no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


# ---------------------------------------------------------------------------------------------------------------------
# What ast refuses


def syntax_error(path: str, text: str) -> Problem | None:
    """The place and reason for which this Python refuses a text; None if it accepts it."""
    with _without_collector(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text.replace("\r\n", "\n").replace("\r", "\n"))
        except SyntaxError as error:
            line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            message = f"Python {version} cannot read it: {error.msg}; mend it, or exclude the file"
            return Problem(Place(path, Span(line, column, line, column + 1)), message)
        except (ValueError, RecursionError, MemoryError):  # told with its place when the file was cut
            return None
    return None


def _refused(path: str, code: str) -> Outline:
    matched = _NEVER_SOURCE.search(code)
    if matched:
        message = f"the character U+{ord(matched.group()):04X} cannot stand in source code; remove it"
        return Outline((), (Problem(_place(path, code, matched.start()), message),))
    scan = Scan(code)
    if scan.worst.count > scan.worst.limit:
        return Outline((), (_too_deep(path, code, scan),))
    lines = without_form_feeds(code, code.split("\n"))
    source = "\n".join(lines).removesuffix("\n") + "\n"
    return Outline((Chunk("", "module", source, ((1, 1),), frozenset(_WORD.findall(code))),))


def _too_deep(path: str, code: str, scan: Scan) -> Problem:
    worst = scan.worst
    message = "nested too deep for Python's own parser; split it"
    if worst.count > worst.limit:
        message = f"{worst.count:,} {worst.what}, of which {worst.limit:,} can be read; split it"
    return Problem(_place(path, code, worst.offset), message)


def _place(path: str, code: str, offset: int) -> Place:
    """The place of one character."""
    line = code.count("\n", 0, offset) + 1
    column = offset - code.rfind("\n", 0, offset)
    return Place(path, Span(line, column, line, column + 1))


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
