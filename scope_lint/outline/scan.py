"""A look at source text that no parser has accepted, in linear time and without recursion.

It knows strings (f-strings too, with what nests in them), comments and brackets, and from them how deep a parser would
have to descend. libcst dies of what is nested too deep, and says nothing.
"""

import re
from bisect import bisect_left
from typing import Literal

from msgspec import Struct

DEPTH = 100  # brackets in one another
TOKENS = 1_000  # of one expression: see `_Level.tokens`
BRANCHES = 200  # `elif` after `elif`

_CODE = re.compile(
    r"""[ \t\f]* (?:
      (?P<template> (?i: [ft] | [ft]r | r[ft] )         (?: \"{3} | '{3} | ["'] ) )
    | (?P<string>   (?i: [bru] | br | rb )?             (?: \"{3} | '{3} | ["'] ) )
    | (?P<words>    \w+ (?: \.\w+ )* )
    | (?P<newline>  \n )
    | (?P<open>     [(\[{] )
    | (?P<close>    [)\]}] )
    | (?P<nothing>  \\\n | \#[^\n]* | \Z )
    | (?P<sign>     . )
    )""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = " \t\f"
_FORM_FEED = re.compile(r"^[ \t]*\f", re.MULTILINE)
_QUOTES = ('"""', "'''", '"', "'")
_IN_STRING = {quote: re.compile(rf"\\.|\n|{quote}", re.DOTALL) for quote in _QUOTES}
_IN_TEMPLATE = {quote: re.compile(rf"\\[^{{}}]|\{{\{{|\}}\}}|[{{}}]|\n|{quote}", re.DOTALL) for quote in _QUOTES}


class _Level(Struct):
    """Something open: the module, a bracket, the text of an f-string, a field in it, or that field's format.

    `tokens` counts since the last comma, for a list may be long; but not since a comma behind a `lambda` or `for`,
    which nest without a bracket.
    """

    kind: Literal["module", "bracket", "text", "field", "format"]
    quote: str = ""
    tokens: int = 0
    nests: bool = False


class Peak(Struct, frozen=True):
    """The highest of one measure: its limit, what is counted, and the offset at which it stands."""

    limit: int
    what: str
    count: int = 0
    offset: int = 0

    def raised(self, count: int, offset: int) -> "Peak":
        """The higher of this and another count."""
        return Peak(self.limit, self.what, count, offset) if count > self.count else self


class Scan:
    """What a look at `text` finds; lines end at a line feed.

    Attributes:
        statements: the offset of the first token of each logical line.
        strings: start and end offset of each stretch of string text.
        worst: the measure that is furthest over its limit, or nearest to it.
    """

    def __init__(self, text: str) -> None:
        self.statements: list[int] = []
        self.strings: list[tuple[int, int]] = []
        self._text = text
        self._at = 0
        self._levels = [_Level("module")]
        self._tokens = 0
        self._fresh = True
        self._branches: list[tuple[int, int]] = []
        self._depth = Peak(DEPTH, "brackets in one another")
        self._length = Peak(TOKENS, "tokens in one expression")
        self._chain = Peak(BRANCHES, "elif in one chain")
        while self._at < len(text):
            if self._levels[-1].kind in {"text", "format"}:
                self._template_text()
            else:
                self._code()
        self.worst = max(self._depth, self._length, self._chain, key=lambda peak: peak.count / peak.limit)

    def _code(self) -> None:
        match = _CODE.match(self._text, self._at)
        if match is None or match.lastgroup is None:  # the last alternative takes any character
            raise AssertionError
        kind = match.lastgroup
        sign, start, self._at = match.group(kind), match.start(kind), match.end()
        if kind == "nothing":
            return
        if kind == "newline":
            self._end_line()
            return
        if self._fresh and len(self._levels) == 1:
            self._begin_line(sign, start)
        level = self._levels[-1]
        tokens = 1 + 2 * sign.count(".") if kind == "words" else 1
        level.tokens += tokens
        self._tokens += tokens
        if self._tokens > self._length.count:
            self._length = self._length.raised(self._tokens, self.statements[-1])
        self._act(kind, sign, start)

    def _act(self, kind: str, sign: str, start: int) -> None:
        """Open, close and skip what a token opens, closes and begins."""
        if kind == "words":
            self._levels[-1].nests |= sign in {"lambda", "for"}
        elif kind == "open":
            self._push(_Level("bracket"), start)
        elif kind == "close":
            self._close(sign)
        elif kind == "sign":
            self._sign(sign)
        elif kind == "string":
            self._string(sign.lstrip("bruBRU"), start)
        else:
            self._push(_Level("text", sign.lstrip("ftrFTR")), start)

    def _begin_line(self, sign: str, start: int) -> None:
        self._fresh = False
        self.statements.append(start)
        column = start - self._text.rfind("\n", 0, start)
        while self._branches and self._branches[-1][0] > column:
            self._branches.pop()
        here = self._branches.pop()[1] if self._branches and self._branches[-1][0] == column else 0
        if sign in {"elif", "else"}:
            here += sign == "elif"
            self._branches.append((column, here))
            self._chain = self._chain.raised(here, start)

    def _end_line(self) -> None:
        if len(self._levels) == 1:
            self._fresh = True
            self._levels = [_Level("module")]
            self._tokens = 0

    def _start_afresh(self, level: _Level) -> None:
        self._tokens -= level.tokens
        level.tokens = 0

    def _push(self, level: _Level, start: int) -> None:
        self._levels.append(level)
        self._depth = self._depth.raised(len(self._levels) - 1, start)

    def _pop(self) -> None:
        self._start_afresh(self._levels.pop())

    def _close(self, sign: str) -> None:
        kind = self._levels[-1].kind
        if kind == "bracket" or (kind == "field" and sign == "}"):
            self._pop()

    def _sign(self, sign: str) -> None:
        level = self._levels[-1]
        if sign == ":" and level.kind == "field":
            self._push(_Level("format", self._levels[-2].quote), self._at)
        elif (sign == "," and not level.nests) or (sign == ";" and level.kind == "module"):
            self._start_afresh(level)

    def _string(self, quote: str, start: int) -> None:
        for match in _IN_STRING[quote].finditer(self._text, self._at):
            if match.group() == quote or (match.group() == "\n" and len(quote) == 1):
                self._at = match.end() if match.group() == quote else match.start()
                break
        else:
            self._at = len(self._text)
        self.strings.append((start, self._at))

    def _template_text(self) -> None:
        """Go on to the next field of an f-string, or to its end."""
        level, start = self._levels[-1], self._at
        match = _IN_TEMPLATE[level.quote].search(self._text, start)
        self._at = match.end() if match else len(self._text)
        self.strings.append((start, self._at))
        sign = match.group() if match else ""
        if sign == "{":
            self._push(_Level("field", level.quote), start)
        elif sign == "}" and level.kind == "format":
            self._pop()
            self._pop()
        elif sign == level.quote:
            self._end_template()
        elif sign == "\n" and len(level.quote) == 1:  # never ended: the line does
            self._at -= 1
            self._end_template()

    def _end_template(self) -> None:
        while self._levels[-1].kind != "text":
            self._pop()
        self._pop()


def without_form_feeds(code: str, lines: list[str]) -> list[str]:
    """The lines, form feeds in their indentation made spaces: libcst loses them, and with them the columns.

    Before a statement a form feed sets the indentation back to nothing: there it goes, with all that precedes it.
    """
    if not _FORM_FEED.search(code):
        return lines
    scan = Scan(code)
    ends = [match.start() for match in re.finditer("\n", code)]
    statements = {bisect_left(ends, offset) for offset in scan.statements}
    in_strings = {
        number
        for start, end in scan.strings
        for number in range(bisect_left(ends, start) + 1, bisect_left(ends, end) + 1)
    }
    return [
        line if number in in_strings else _without_form_feed(line, statement=number in statements)
        for number, line in enumerate(lines)
    ]


def _without_form_feed(line: str, *, statement: bool) -> str:
    code = line.lstrip(_BLANK)
    blank = line[: len(line) - len(code)]
    return (blank.rpartition("\f")[2] if statement else blank.replace("\f", " ")) + code
