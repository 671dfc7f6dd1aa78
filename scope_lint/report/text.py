"""Findings as text: a line that editors can jump to, the source line with carets, and the labelled notes."""

from click import style
from msgspec import Struct

from scope_lint.model import Finding, Place, Report, Severity, Span
from scope_lint.report.cells import blank, pad, visible

_HUE: dict[Severity, str] = {"error": "red", "warning": "yellow"}
_LABEL = max(map(len, ("via", "others", "why", "write")))
_GUTTER = 5
_LONGEST = 120


class _Excerpt(Struct, frozen=True):
    """A source line in three parts, ready to be shown; the carets belong below `marked`."""

    before: str
    marked: str
    after: str


def render(report: Report, *, colour: bool) -> str:
    """Show every finding of `report`, in its order; "" if there is none.

    `colour` adds ANSI sequences; none comes from the source text, whose control characters are spelt out.
    """
    return "".join(f"{line}\n" for finding in report.findings for line in _lines(finding, colour=colour))


def location(place: Place) -> str:
    """Name where `place` begins, as `path:line:column`; in a notebook as `path:cell 3:line:column`."""
    return visible(f"{place.where}:{place.line}:{place.span.column}")


def _lines(finding: Finding, *, colour: bool) -> list[str]:
    hue = _HUE[finding.severity] if colour else None
    gutter = max(_GUTTER, len(str(finding.place.line)))
    return [
        _headline(finding, hue),
        *(_source(finding, gutter, hue) if finding.line_text.strip() else ()),
        *(_note(note.label, note.text, gutter, colour=colour) for note in finding.notes),
    ]


def _headline(finding: Finding, hue: str | None) -> str:
    where, what = location(finding.place), f"{finding.severity}[{finding.rule}]"
    if hue:
        where, what = style(where, bold=True), style(what, fg=hue, bold=True)
    effect = f" ({finding.effect})" if finding.effect else ""
    return f"{where}: {what} {visible(finding.message)}{effect}"


def _source(finding: Finding, gutter: int, hue: str | None) -> tuple[str, str]:
    excerpt = _excerpt(finding.line_text, finding.place.span)
    carets = blank(excerpt.marked, "^").rstrip() or "^"
    if hue:
        carets = style(carets, fg=hue, bold=True)
    code = f"{excerpt.before}{excerpt.marked}{excerpt.after}".rstrip()
    return f"{finding.place.line:>{gutter}} | {code}", f"{'':>{gutter}} | {blank(excerpt.before)}{carets}"


def _excerpt(line: str, span: Span) -> _Excerpt:
    """Cut the first line of `span` into what stands before it, the span itself, and what follows."""
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    end = min(max(end, start), len(line))
    first, last = _window(len(line), start, end)
    before = "…" if first else ""
    after = "…" if last < len(line) else ""
    return _Excerpt(
        before + visible(line[first:start], keep="\t"),
        visible(line[start : min(end, last)], keep="\t"),
        visible(line[end:last], keep="\t") + after,
    )


def _window(length: int, start: int, end: int) -> tuple[int, int]:
    """Choose the characters of a long line that are shown: the span in the middle, or its beginning."""
    if length <= _LONGEST:
        return 0, length
    spare = max(_LONGEST - (end - start), 0)
    first = max(min(start - spare // 2, length - _LONGEST), 0)
    return first, first + _LONGEST


def _note(label: str, text: str, gutter: int, *, colour: bool) -> str:
    name = pad(label, _LABEL)
    return f"{'':{gutter + 1}}{style(name, fg='cyan') if colour else name} {visible(text)}"
