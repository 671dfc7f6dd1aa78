"""Where and why the content of a file is no text."""

import re

from scope_lint.model import File, Place, Problem, Span

UTF8_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_LINE_END = re.compile(r"\r\n|\r|\n")


def at_start(file: File, message: str) -> Problem:
    """A problem with a file as a whole, placed at its start."""
    return Problem(Place(file.name, Span(1, 1, 1, 1)), message)


def at_end_of(before: str, file: File, message: str) -> Problem:
    """A problem with the character that follows `before`."""
    lines = _LINE_END.split(before)
    line, column = len(lines), len(lines[-1]) + 1
    return Problem(Place(file.name, Span(line, column, line, column + 1)), message)


def wide(file: File, data: bytes, reader: str) -> Problem | None:
    """What is wrong with a file in UTF-16 or UTF-32, which `reader` does not read."""
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            return at_start(file, f"is {name}, which {reader} does not read; save it as UTF-8")
    return None
