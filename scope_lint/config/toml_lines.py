"""Where keys and values stand in a TOML text: tomllib says what a document means, but not where.

The text has been accepted by tomllib before, so this scanner knows only as much of TOML as finding places takes:
headers, dotted and quoted keys, arrays and inline tables. It never raises; what it does not find, it looks for further
out.
"""

import re
import tomllib
from bisect import bisect_right

from scope_lint.model import Span

Path = tuple[str | int, ...]

_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\n]* )
    | (?P<text> \"{3} (?:\\.|[^\\])*? \"{3,5} | '{3} .*? '{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' )
    | (?P<mark> [\[\]{},=.\n] )
    | (?P<bare> [^\s\[\]{},=."'\#]+ )
    """,
    re.VERBOSE | re.DOTALL,
)


class TomlLines:
    """The places of a TOML text. Paths are keys and indices from 0 from the top of the document on."""

    def __init__(self, text: str) -> None:
        """Scan the text, as decoded, with whatever line ends it has."""
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        scanner = _Scanner()
        for token in _TOKEN.finditer(text):
            if token.lastgroup != "comment":
                scanner.feed(token[0], token.start(), token.end())
        scanner.feed("\n", len(text), len(text))
        self._keys = {**scanner.implied, **scanner.keys}
        self._values = scanner.values

    def key(self, path: Path) -> Span:
        """Return where a key is written, or the header of a table, or the nearest table around it, or line 1."""
        while path:
            if path in self._keys:
                return self._span(*self._keys[path])
            path = path[:-1]
        return Span(1, 1, 1, 1)

    def value(self, path: Path) -> Span:
        """Return where the scalar value of a key is written, quotes included; its key where that is not known."""
        return self._span(*self._values[path]) if path in self._values else self.key(path)

    def _span(self, start: int, end: int) -> Span:
        first, last = bisect_right(self._starts, start), bisect_right(self._starts, end)
        return Span(first, start - self._starts[first - 1] + 1, last, end - self._starts[last - 1] + 1)


class _Scanner:
    """Takes the tokens of a document one by one and notes the offsets of keys and values.

    keys     headers as written, and each key at its first mention
    implied  tables that only the header of a table within them names
    values   scalars
    """

    def __init__(self) -> None:
        self.keys: dict[Path, tuple[int, int]] = {}
        self.implied: dict[Path, tuple[int, int]] = {}
        self.values: dict[Path, tuple[int, int]] = {}
        self._table: Path = ()
        self._last_index: dict[Path, int] = {}  # of arrays of tables
        self._open: list[tuple[Path, int | None]] = []  # arrays with the index at hand, inline tables with None
        self._parts: list[tuple[str, int, int]] = []  # of the key or header at hand
        self._header: tuple[int, int, bool] | None = None  # start, end, and whether it is doubled
        self._key: Path = ()
        self._in_value = False

    def feed(self, piece: str, start: int, end: int) -> None:
        """Take the next piece."""
        if piece == "\n":
            if not self._open:
                self._end_line()
        elif self._header is not None:
            self._feed_header(piece, start, end)
        elif self._in_value:
            self._feed_value(piece, start, end)
        else:
            self._feed_key(piece, start, end)

    def _end_line(self) -> None:
        if self._header is not None:
            self._note_header(*self._header)
        self._header = None
        self._in_value = False
        self._parts.clear()

    def _feed_header(self, piece: str, start: int, end: int) -> None:
        first, last, doubled = self._header or (start, end, False)
        if piece == "[":
            doubled = True
        elif piece == "]":
            last = end
        elif piece != ".":
            self._parts.append((_plain(piece), start, end))
        self._header = (first, last, doubled)

    def _note_header(self, start: int, end: int, doubled: bool) -> None:  # noqa: FBT001 - as it lies in _header
        path: Path = ()
        for name, _, _ in self._parts[:-1]:
            path = (*path, name)
            self.implied.setdefault(path, (start, end))
            if path in self._last_index:
                path = (*path, self._last_index[path])
        path = (*path, *(name for name, _, _ in self._parts[-1:]))
        self.keys.setdefault(path, (start, end))
        if doubled:
            self._last_index[path] = self._last_index.get(path, -1) + 1
            path = (*path, self._last_index[path])
            self.keys.setdefault(path, (start, end))
        self._table = path

    def _feed_key(self, piece: str, start: int, end: int) -> None:
        if piece == "[" and not self._open:
            self._header = (start, end, False)
        elif piece == "=":
            self._note_key()
        elif piece == "}":
            self._close()
        elif piece not in {".", ",", "[", "]", "{"}:
            self._parts.append((_plain(piece), start, end))

    def _note_key(self) -> None:
        path = self._open[-1][0] if self._open else self._table
        for name, start, end in self._parts:
            path = (*path, name)
            self.keys.setdefault(path, (start, end))
        self._key = path
        self._parts.clear()
        self._in_value = True

    def _feed_value(self, piece: str, start: int, end: int) -> None:
        if piece in {"]", "}"}:
            self._close()
        elif piece == ",":
            self._next()
        elif piece not in {".", "="}:
            path = self._value_path()
            self.keys.setdefault(path, (start, end))
            if piece in {"[", "{"}:
                self._open.append((path, 0 if piece == "[" else None))
                self._in_value = piece == "["
            else:
                self.values.setdefault(path, (start, end))

    def _value_path(self) -> Path:
        path, index = self._open[-1] if self._open else (self._key, None)
        return self._key if index is None else (*path, index)

    def _next(self) -> None:
        """Go on after a comma."""
        if self._open:
            path, index = self._open[-1]
            self._in_value = index is not None
            self._open[-1] = (path, None if index is None else index + 1)

    def _close(self) -> None:
        """Go on after the end of an array or inline table: it was the value of what is around it."""
        if self._open:
            self._open.pop()
        self._in_value = True


def _plain(key: str) -> str:
    """Return a key without its quotes."""
    if key.startswith('"') and "\\" in key:
        try:
            return str(tomllib.loads(f"key = {key}")["key"])
        except tomllib.TOMLDecodeError:
            return key
    return key[1:-1] if key.startswith(("'", '"')) else key
