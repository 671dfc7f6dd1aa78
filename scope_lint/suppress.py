"""Comments that suppress findings, and which of them suppress nothing.

    # scope-lint: ignore[rule, …] -- reason         the findings of this line and the next
    # scope-lint: ignore-file[rule, …] -- reason    the findings of this file

A finding is met by an ignore on any line of its span, or on the line above. Without rules every rule is meant.
"""

import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec import Struct

from scope_lint.model import Finding, Place, Span

UNUSED = "unused-ignore"

_MARK = "scope-lint:"
_DIRECTIVE = re.compile(r"#\s*scope-lint:\s*ignore(?P<file>-file)?(?![\w-])")

# Up to a `#` outside strings, as far as one line can tell.
_COMMENT = re.compile(r"""(?:[^'"#]|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")*+(?P<comment>\#.*)""")


class Ignore(Struct, frozen=True):
    """A suppression: its place in the comment, and the rules it names as they are written; no rule means every rule."""

    place: Place
    rules: tuple[str, ...]
    whole_file: bool = False
    reason: str | None = None


class Suppressed(Struct, frozen=True):
    """Findings sorted into kept and ignored, and what suppressed nothing.

    `unused` are pairs of an ignore and the rule that it names in vain (which may be no rule at all); None stands for
    an ignore of every rule. It is sorted by place.
    """

    kept: tuple[Finding, ...]
    ignored: tuple[Finding, ...]
    unused: tuple[tuple[Ignore, str | None], ...]


def find_ignores(path: str, text: str) -> tuple[Ignore, ...]:
    """Read the suppressions in the comments of a file, in source order.

    What looks like one inside a string is none. A text that cannot be split into tokens (later syntax) is read line
    by line, where a string over several lines can pass for code.
    """
    if _MARK not in text:
        return ()
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return tuple(ignore for line, column, comment in _comments(lines) for ignore in _parse(path, line, column, comment))


def suppress(findings: Iterable[Finding], ignores: Iterable[Ignore]) -> Suppressed:
    """Split `findings` by the ignores that meet them.

    `unused-ignore` is silenced only where it is named, both as a finding and among what is unused here.
    """
    known = sorted(dict.fromkeys(ignores), key=lambda ignore: ignore.place)
    index = _index(known)
    kept: list[Finding] = []
    ignored: list[Finding] = []
    used: set[tuple[Ignore, str | None]] = set()
    for finding in findings:
        hits = _hits(finding.rule, finding.place, index)
        used.update(hits)
        (ignored if hits else kept).append(finding)
    return Suppressed(tuple(kept), tuple(ignored), _unused(known, index, used))


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and text of every comment."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        yield from _comments_by_line(text)
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.start[1] + 1, token.string


def _comments_by_line(text: str) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if _MARK in line and (match := _COMMENT.match(line)):
            yield number, match.start("comment") + 1, match["comment"]


def _parse(path: str, line: int, column: int, comment: str) -> Iterator[Ignore]:
    for match in _DIRECTIVE.finditer(comment):
        head, _, reason = comment[match.end() :].partition("--")
        span = Span(line, column + match.start(), line, column + len(comment))
        yield Ignore(Place(path, span), _rules(head), bool(match["file"]), reason.strip() or None)


def _rules(head: str) -> tuple[str, ...]:
    """Split the names of rules. Forgotten brackets are forgiven; empty ones name nothing, rather than every rule."""
    names = head.partition("#")[0].strip()
    if not names:
        return ()
    names = names.removeprefix("[").partition("]")[0]
    return tuple(dict.fromkeys(name for part in names.split(",") if (name := part.strip()))) or ("",)


_Index = dict[tuple[str, int | None], list[Ignore]]


def _index(ignores: Iterable[Ignore]) -> _Index:
    """Group by path and line; line None holds those of the whole file."""
    index: _Index = defaultdict(list)
    for ignore in ignores:
        index[ignore.place.path, None if ignore.whole_file else ignore.place.span.line].append(ignore)
    return index


def _hits(rule: str, place: Place, index: _Index) -> list[tuple[Ignore, str | None]]:
    """Find the ignores that silence `rule` at `place`, each with the name by which it does."""
    lines = (None, *range(place.span.line - 1, _last_line(place.span) + 1))
    candidates = (ignore for line in lines for ignore in index.get((place.path, line), ()))
    return [
        (ignore, rule if ignore.rules else None)
        for ignore in candidates
        if rule in ignore.rules or (not ignore.rules and rule != UNUSED)
    ]


def _last_line(span: Span) -> int:
    ends_before_its_last_line = span.end_column == 1 and span.end_line > span.line
    return span.end_line - 1 if ends_before_its_last_line else span.end_line


def _unused(
    ignores: Iterable[Ignore], index: _Index, used: set[tuple[Ignore, str | None]]
) -> tuple[tuple[Ignore, str | None], ...]:
    names: list[tuple[Ignore, str | None]] = [(ignore, name) for ignore in ignores for name in ignore.rules or (None,)]
    silencing: set[tuple[Ignore, str | None]] = set()
    reported = []
    for ignore, name in names:
        if name == UNUSED or (ignore, name) in used:
            continue
        if hits := _hits(UNUSED, ignore.place, index):
            silencing.update(hits)
        else:
            reported.append((ignore, name))
    idle = [pair for pair in names if pair[1] == UNUSED and pair not in used | silencing]
    return tuple(sorted([*reported, *idle], key=lambda pair: (pair[0].place, pair[1] or "")))
