"""Suppression comments: how they are read, what they silence, and which of them silence nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint.model import Finding, Place, Span
from scope_lint.suppress import Ignore, find_ignores, suppress

SHAPE, KEY, UNUSED = "shape-drift", "missing-key", "unused-ignore"


def finding(rule: str, line: int, end_line: int | None = None, *, end_column: int = 9, path: str = "a.py") -> Finding:
    return Finding(rule, "warning", "splits", Place(path, Span(line, 5, end_line or line, end_column)), "s", "k", "m")


@pytest.mark.parametrize(
    ("comment", "rules", "whole_file", "reason"),
    [
        ("# scope-lint: ignore[shape-drift]", (SHAPE,), False, None),
        ("# scope-lint: ignore[shape-drift, missing-key]", (SHAPE, KEY), False, None),
        ("# scope-lint: ignore[shape-drift,missing-key,shape-drift]", (SHAPE, KEY), False, None),
        (
            "# scope-lint: ignore[shape-drift] -- an old format, see #12 -- really",
            (SHAPE,),
            False,
            "an old format, see #12 -- really",
        ),
        ("# scope-lint: ignore-file[shape-drift] -- generated", (SHAPE,), True, "generated"),
        ("# scope-lint: ignore-file", (), True, None),
        ("# scope-lint: ignore", (), False, None),
        ("# scope-lint: ignore -- legacy", (), False, "legacy"),
        ("# scope-lint: ignore  # noqa: E501", (), False, None),
        ("#scope-lint:ignore [ shape-drift ]", (SHAPE,), False, None),
        ("# noqa: E501  # scope-lint: ignore[shape-drift]", (SHAPE,), False, None),
        ("# scope-lint: ignore[shape-drift]  # noqa: E501", (SHAPE,), False, None),
        ("# scope-lint: ignore shape-drift", (SHAPE,), False, None),  # forgotten brackets
        ("# scope-lint: ignore[shape-drift", (SHAPE,), False, None),  # a forgotten bracket
        ("# scope-lint: ignore this call", ("this call",), False, None),  # no rule: it will be reported
        ("# scope-lint: ignore[]", ("",), False, None),  # names nothing, silences nothing
        ("# scope-lint: ignore[shape-drift,]", (SHAPE,), False, None),
    ],
)
def test_a_comment_names_rules_and_a_reason(
    *, comment: str, rules: tuple[str, ...], whole_file: bool, reason: str | None
) -> None:
    [ignore] = find_ignores("a.py", f"x = f(1)  {comment}\n")
    assert (ignore.rules, ignore.whole_file, ignore.reason) == (rules, whole_file, reason)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "x = '# scope-lint: ignore[shape-drift]'\n",
        '"""\n# scope-lint: ignore[shape-drift]\n"""\n',
        "x = f'''\n# scope-lint: ignore\n'''\n",
        "# see the manual of scope-lint: ignore comments\n",
        "# scope-lint: ignored\n",
        "# scope-lint: ignore-files\n",
        "x = '# scope-lint: ignore' y z ' \" # scope-lint: ignore'\n?",  # cannot be split into tokens on every Python
    ],
)
def test_what_is_no_suppression(text: str) -> None:
    assert find_ignores("a.py", text) == ()


def test_the_place_is_the_comment_from_its_own_mark_on() -> None:
    text = "x = 1\r\ny = 2  # noqa  # scope-lint: ignore[shape-drift]\r\n"
    assert [ignore.place for ignore in find_ignores("a.py", text)] == [Place("a.py", Span(2, 16, 2, 49))]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_whatever_ends_them(end: str) -> None:
    text = end.join(["x = '\x0c\u2028'", "# scope-lint: ignore[a]", "y = 1  # scope-lint: ignore[b]", ""])
    assert [(ignore.place.span.line, ignore.rules) for ignore in find_ignores("a.py", text)] == [
        (2, ("a",)),
        (3, ("b",)),
    ]


def test_two_suppressions_in_one_comment_are_two() -> None:
    text = "x = 1  # scope-lint: ignore[a] # scope-lint: ignore-file[b] -- why\n"
    assert [(ignore.rules, ignore.whole_file) for ignore in find_ignores("a.py", text)] == [
        (("a",), False),
        (("b",), True),
    ]


@pytest.mark.parametrize("broken", ["if (\n", "x = 'open\n", '"""', "\x00", "  x\n y\n", "$ ? `", "(]" * 300])
def test_text_that_cannot_be_split_into_tokens_is_read_line_by_line(broken: str) -> None:
    text = f"y = f('#', \"#\")  # scope-lint: ignore[shape-drift]\n{broken}"
    assert [(ignore.place.span, ignore.rules) for ignore in find_ignores("a.py", text)] == [
        (Span(1, 18, 1, 51), (SHAPE,))
    ]


@given(st.text(), st.text())
def test_no_text_is_too_odd_to_be_read(before: str, after: str) -> None:
    find_ignores("a.py", f"{before}# scope-lint: ignore{after}")


SILENCED = "silenced"
KEPT = "kept"


@pytest.mark.parametrize(
    ("comment", "line", "found", "outcome"),
    [
        ("ignore[shape-drift]", 10, finding(SHAPE, 10), SILENCED),
        ("ignore[shape-drift]", 9, finding(SHAPE, 10), SILENCED),  # the line above
        ("ignore[shape-drift]", 8, finding(SHAPE, 10), KEPT),
        ("ignore[shape-drift]", 11, finding(SHAPE, 10), KEPT),
        ("ignore[shape-drift]", 11, finding(SHAPE, 10, 12), SILENCED),  # any line of the span
        ("ignore[shape-drift]", 12, finding(SHAPE, 10, 12), SILENCED),
        ("ignore[shape-drift]", 12, finding(SHAPE, 10, 12, end_column=1), KEPT),  # the span ends before line 12
        ("ignore[missing-key, shape-drift]", 10, finding(SHAPE, 10), SILENCED),
        ("ignore[missing-key]", 10, finding(SHAPE, 10), KEPT),
        ("ignore[shape-drif]", 10, finding(SHAPE, 10), KEPT),
        ("ignore[]", 10, finding(SHAPE, 10), KEPT),
        ("ignore", 10, finding(SHAPE, 10), SILENCED),
        ("ignore", 10, finding(UNUSED, 10), KEPT),  # only if named
        ("ignore[unused-ignore]", 10, finding(UNUSED, 10), SILENCED),
        ("ignore-file[shape-drift]", 900, finding(SHAPE, 10), SILENCED),
        ("ignore-file[shape-drift]", 900, finding(KEY, 10), KEPT),
        ("ignore-file", 900, finding(KEY, 10), SILENCED),
        ("ignore-file", 900, finding(UNUSED, 10), KEPT),
        ("ignore-file", 900, finding(KEY, 10, path="b.py"), KEPT),
        ("ignore", 10, finding(SHAPE, 10, path="b.py"), KEPT),
    ],
)
def test_which_findings_a_comment_silences(comment: str, line: int, found: Finding, outcome: str) -> None:
    ignores = find_ignores("a.py", "\n" * (line - 1) + f"# scope-lint: {comment}\n")
    result = suppress([found], ignores)
    assert (result.kept, result.ignored) == (((), (found,)) if outcome == SILENCED else ((found,), ()))


@pytest.mark.parametrize(
    ("source", "findings", "unused"),
    [
        ("f()  # scope-lint: ignore[shape-drift]", [finding(SHAPE, 1)], []),
        ("f()  # scope-lint: ignore[shape-drift]", [], [SHAPE]),
        ("f()  # scope-lint: ignore[shape-drift, missing-key]", [finding(SHAPE, 1)], [KEY]),
        ("f()  # scope-lint: ignore[shape-drift, missing-key]", [], [KEY, SHAPE]),
        ("f()  # scope-lint: ignore[shape-drif]", [finding(SHAPE, 1)], ["shape-drif"]),
        ("f()  # scope-lint: ignore", [finding(SHAPE, 1)], []),
        ("f()  # scope-lint: ignore", [], [None]),
        ("f()  # scope-lint: ignore[]", [], [""]),
        ("f()  # scope-lint: ignore-file[shape-drift]", [finding(SHAPE, 7)], []),
        ("f()  # scope-lint: ignore-file[shape-drift]", [finding(KEY, 7)], [SHAPE]),
        # Two comments that silence one finding have both done something.
        ("# scope-lint: ignore\nf()  # scope-lint: ignore[shape-drift]", [finding(SHAPE, 2)], []),
        # What is unused is silenced where unused-ignore is named, and only there.
        ("f()  # scope-lint: ignore[shape-drift, unused-ignore]", [], []),
        ("# scope-lint: ignore[unused-ignore]\nf()  # scope-lint: ignore[shape-drift]", [], []),
        ("f()  # scope-lint: ignore[shape-drift]\n\n# scope-lint: ignore-file[unused-ignore]", [], []),
        ("f()  # scope-lint: ignore[shape-drift]\n\n# scope-lint: ignore-file", [finding(KEY, 9)], [SHAPE]),
        ("f()  # scope-lint: ignore[shape-drift, unused-ignore]", [finding(SHAPE, 1)], [UNUSED]),
        ("f()  # scope-lint: ignore[unused-ignore]", [], [UNUSED]),
        ("f()  # scope-lint: ignore[unused-ignore]", [finding(UNUSED, 1)], []),
    ],
)
def test_what_silences_nothing_is_named(source: str, findings: list[Finding], unused: list[str | None]) -> None:
    result = suppress(findings, find_ignores("a.py", source))
    assert [rule for _, rule in result.unused] == unused


def test_unused_is_sorted_by_place() -> None:
    [late, early] = (Ignore(Place(path, Span(line, 1, line, 9)), (SHAPE,)) for path, line in [("b.py", 1), ("a.py", 2)])
    assert suppress([], [late, early]).unused == ((early, SHAPE), (late, SHAPE))


def test_findings_keep_their_order() -> None:
    findings = [finding(SHAPE, 3), finding(KEY, 9), finding(SHAPE, 1), finding(KEY, 2)]
    result = suppress(findings, find_ignores("a.py", "\n\n\n# scope-lint: ignore-file[missing-key]"))
    assert (result.kept, result.ignored) == ((findings[0], findings[2]), (findings[1], findings[3]))
