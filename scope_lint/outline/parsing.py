"""Text to syntax tree, or to what can be said of a text that this Python refuses."""

import ast
import gc
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from scope_lint.model import Cell, Chunk, Outline, Place, Problem, Span
from scope_lint.notebooks import extents
from scope_lint.outline.scan import Scan, without_form_feeds

_WORD = re.compile(r"\w+")
_NEVER_SOURCE = re.compile("[\0\ud800-\udfff]")  # NUL, and halves of characters


@contextmanager
def quietly() -> Iterator[None]:
    """Parse without warnings, and without the cyclic garbage collector.

    That halves the time of `ast`, and a syntax tree has no cycles.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if enabled:
            gc.enable()


def parse(path: str, code: str) -> ast.Module | Outline:
    """Parse `code`; where this Python cannot, return the one chunk that libcst has to judge, or why it cannot either.

    A text that this Python refuses can still be of a newer one, unless it is nested too deep.
    """
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError):
        return _refused(path, code)
    except (RecursionError, MemoryError):
        return Outline((), (_too_deep(path, code, Scan(code)),))


def set_apart(path: str, code: str, cells: Sequence[Cell]) -> tuple[str, Outline]:
    """Part the cells of a notebook that this Python refuses from the others.

    Returns:
        The text with blank lines in their place, and what is to be said of them: a chunk or a problem for each.
    """
    lines = code.split("\n")
    chunks: list[Chunk] = []
    problems: list[Problem] = []
    for first, last in extents(cells, len(lines)):
        above = first - 1
        cell = "\n".join(lines[above:last]).rstrip("\n")  # what is missing at its end is missed in its last line
        refused = parse(path, f"{cell}\n")
        if isinstance(refused, Outline):
            chunks += [replace(chunk, lines=_moved(chunk.lines, above)) for chunk in refused.chunks]
            problems += [_below(problem, above) for problem in refused.problems]
            lines[above:last] = [""] * (last - above)
    return "\n".join(lines), Outline(tuple(chunks), tuple(problems))


def syntax_error(path: str, chunk: Chunk) -> Problem | None:
    """The place and reason for which this Python refuses a chunk; None if it accepts it."""
    with quietly():
        try:
            ast.parse(chunk.source)
        except SyntaxError as error:
            line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            message = f"Python {version} cannot read it: {error.msg}; mend it, or exclude the file"
            problem = Problem(Place(path, Span(line, column, line, column + 1)), message)
            return _below(problem, chunk.lines[0][1] - chunk.lines[0][0])
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


def _moved(table: tuple[tuple[int, int], ...], lines: int) -> tuple[tuple[int, int], ...]:
    return tuple((first, target + lines) for first, target in table)


def _below(problem: Problem, lines: int) -> Problem:
    """A problem so many lines further down."""
    span = problem.place.span
    moved = replace(span, line=span.line + lines, end_line=span.end_line + lines)
    return replace(problem, place=replace(problem.place, span=moved))
