"""What a user sees: findings and sites as text and as JSON, and the summary."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint.model import (
    Effect,
    Finding,
    Hop,
    Key,
    Note,
    Place,
    Problem,
    Related,
    Report,
    Severity,
    Site,
    Span,
    Spelling,
    Stats,
    Support,
    Writing,
)
from scope_lint.report import COLOURED, COLOURED_SITES, FORMATS, SITES
from scope_lint.report.cells import visible, width
from scope_lint.report.summary import coverage, limits, statistics, summarise

SCHEMAS = Path(__file__).parent / "schemas"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def place(path: str, line: int, column: int, end_column: int, end_line: int | None = None) -> Place:
    return Place(path, Span(line, column, end_line or line, end_column))


def report(*findings: Finding, sites: tuple[Site, ...] = (), stats: Stats | None = None) -> Report:
    return Report(findings, sites, (), stats or Stats(files=3, parsed=3, sites=66, resolved=63, opaque=3))


def marked(line: str, value: str, *, row: int = 41, path: str = "app/chat.py") -> Finding:
    """A finding whose place is `value` in `line`."""
    column = line.index(value) + 1
    where = place(path, row, column, column + len(value))
    return Finding("shape-drift", "warning", "splits", where, "memory", "user_id", "drifts", line_text=line)


def finding(effect: Effect | None, *, path: str = "a.py", severity: Severity = "error", rule: str = "rule") -> Finding:
    return Finding(rule, severity, effect, place(path, 1, 1, 2), "memory", "user_id", "deviates")


SHAPE_DRIFT = Finding(
    rule="shape-drift",
    severity="warning",
    effect="splits",
    place=place("app/chat.py", 41, 14, 25),
    store="memory",
    key="user_id",
    message="user_id arrives as is; 41 of 44 places store str(…)",
    support=Support(41, 44, 0.8178),
    fingerprint="5f2c",
    related=(Related(place("app/jobs.py", 33, 5, 13), "str(uid)"),),
    notes=(
        Note("via", "remember(user_id) app/memory.py:12 -> bank.ingest(scope=…) app/memory.py:18"),
        Note("others", "str(uid) at app/jobs.py:33, app/tools.py:12 and 39 more"),
        Note("why", 'store `memory` matches exactly: 42 and "42" are two profiles'),
        Note("write", "remember(str(session.uid), turn), or convert once inside remember()"),
    ),
    line_text="    remember(session.uid, turn)",
)

SHARED_TENANT = Finding(
    rule="shared-tenant",
    severity="error",
    effect="merges",
    place=place("app/routes.py", 5, 56, 65),
    store="memory",
    key="user_id",
    message='user_id falls back to "visitor"; 11 of 12 places pass the caller\'s id',
    notes=(Note("why", "every caller without an id reads the same profile"),),
    line_text='    return memory.search(q, user_id=request.user_id or "visitor")',
)

UNMATCHED = Finding(
    rule="unmatched-store",
    severity="warning",
    effect=None,
    place=place("scope-lint.toml", 1234567, 1, 9),
    store="bank",
    key=None,
    message="no call matches store `bank`",
    line_text="[stores.bank]",
)

TEXT = """\
app/chat.py:41:14: warning[shape-drift] user_id arrives as is; 41 of 44 places store str(…) (splits)
   41 |     remember(session.uid, turn)
      |              ^^^^^^^^^^^
      via    remember(user_id) app/memory.py:12 -> bank.ingest(scope=…) app/memory.py:18
      others str(uid) at app/jobs.py:33, app/tools.py:12 and 39 more
      why    store `memory` matches exactly: 42 and "42" are two profiles
      write  remember(str(session.uid), turn), or convert once inside remember()
app/routes.py:5:56: error[shared-tenant] user_id falls back to "visitor"; 11 of 12 places pass the caller's id (merges)
    5 |     return memory.search(q, user_id=request.user_id or "visitor")
      |                                                        ^^^^^^^^^
      why    every caller without an id reads the same profile
scope-lint.toml:1234567:1: warning[unmatched-store] no call matches store `bank`
1234567 | [stores.bank]
        | ^^^^^^^^
"""


def test_text_is_a_line_for_editors_the_source_with_carets_and_the_notes() -> None:
    assert FORMATS["text"](report(SHAPE_DRIFT, SHARED_TENANT, UNMATCHED)) == TEXT


def test_colour_adds_sequences_and_nothing_else() -> None:
    coloured = COLOURED["text"](report(SHAPE_DRIFT, SHARED_TENANT, UNMATCHED))
    assert ANSI.sub("", coloured) == TEXT
    assert "\x1b[33m\x1b[1mwarning[shape-drift]\x1b[0m" in coloured
    assert "\x1b[31m\x1b[1merror[shared-tenant]\x1b[0m" in coloured


def test_no_findings_are_no_text() -> None:
    assert FORMATS["text"](report()) == ""


def excerpt(found: Finding) -> tuple[str, str]:
    """The source line and the caret line of a finding, without the gutter."""
    _, source, carets = FORMATS["text"](report(found)).splitlines()
    return source[8:], carets[8:]


@pytest.mark.parametrize(
    ("line", "value", "carets"),
    [
        ("remember(uid)", "uid", "         ^^^"),
        ("\t\tremember(uid)", "uid", "\t\t         ^^^"),
        ("x = '日本'; remember(uid)", "uid", " " * 21 + "^^^"),
        ("remember('日本')", "'日本'", "         ^^^^^^"),
        ("remember('e\u0301', uid)", "uid", "              ^^^"),  # a combining accent takes no cell
        ("remember('ดี', uid)", "uid", "              ^^^"),  # nor does this vowel
        ("f(a,\tb)", "a,\tb", "  ^^\t^"),
    ],
)
def test_carets_stand_under_the_value(line: str, value: str, carets: str) -> None:
    assert excerpt(marked(line, value)) == (line, carets)


@pytest.mark.parametrize(
    ("line", "shown", "carets"),
    [
        ("'\x1b[31m', uid", "'\\x1b[31m', uid", "            ^^^"),
        ("'\u202e', uid", "'\\u202e', uid", "          ^^^"),
        ("'\udcff', uid", "'\\udcff', uid", "          ^^^"),
        ("\x0cf('\x9b', uid)", "\\x0cf('\\x9b', uid)", "              ^^^"),
    ],
)
def test_what_a_terminal_would_obey_is_spelt_out(line: str, shown: str, carets: str) -> None:
    assert excerpt(marked(line, "uid")) == (shown, carets)


def test_a_span_over_several_lines_is_shown_by_its_first() -> None:
    found = Finding("r", "error", None, place("a.py", 3, 8, 2, end_line=6), "s", None, "m", line_text="  bank({ \t")
    assert excerpt(found) == ("  bank({", "       ^")


@pytest.mark.parametrize(("column", "end"), [(3, 3), (200, 210), (3, 1)])
def test_a_span_that_does_not_fit_its_line_still_gets_a_caret(column: int, end: int) -> None:
    found = Finding("r", "error", None, place("a.py", 3, column, end), "s", None, "m", line_text="ab")
    assert excerpt(found) == ("ab", "  ^")


@pytest.mark.parametrize(
    ("before", "after", "shown", "carets"),
    [
        (300, 300, "…" + "x" * 58 + "uid" + "y" * 59 + "…", " " * 59 + "^^^"),
        (0, 300, "uid" + "y" * 117 + "…", "^^^"),
        (300, 0, "…" + "x" * 117 + "uid", " " * 118 + "^^^"),
        (60, 57, "x" * 60 + "uid" + "y" * 57, " " * 60 + "^^^"),
    ],
)
def test_a_long_line_is_cut_around_the_value(before: int, after: int, shown: str, carets: str) -> None:
    assert excerpt(marked("x" * before + "uid" + "y" * after, "uid")) == (shown, carets)


def test_a_value_longer_than_the_line_that_is_shown_is_cut_at_its_end() -> None:
    source, carets = excerpt(marked("x" * 50 + "u" * 500 + "y", "u" * 500))
    assert (source, carets) == ("…" + "u" * 120 + "…", " " + "^" * 120)


def test_a_finding_without_a_source_line_has_only_its_headline() -> None:
    assert FORMATS["text"](report(finding(None))) == "a.py:1:1: error[rule] deviates\n"


@given(st.text(), st.integers(0, 50), st.integers(0, 50), st.text())
def test_no_source_text_reaches_the_terminal_raw(line: str, start: int, length: int, message: str) -> None:
    where = place(message or "a.py", 1, start + 1, start + length + 1)
    found = Finding("r", "error", None, where, None, None, message, notes=(Note("why", message),), line_text=line)
    shown = FORMATS["text"](report(found))
    assert shown.isprintable() or all(character in "\n\t" or visible(character) == character for character in shown)
    assert len(shown.split("\n")) == (5 if line.strip() else 3)


@given(st.text())
def test_cells_are_at_most_two_for_each_character(text: str) -> None:
    assert 0 <= width(text) <= 2 * len(text)


# --- JSON


def writing(shape: str, *, constant: str | None = None, type_: str | None = None, nullable: bool = False) -> Writing:
    where = place("app/scopes.py", 7, 20, 28)
    spelling: Spelling = "constant" if constant is not None else "call"
    return Writing(shape, spelling, "uid", type_, constant, made=False, nullable=nullable, place=where)


def key(name: str, *writings: Writing, maybe: bool = False, exhaustive: bool = True) -> Key:
    return Key(name, writings, maybe, place("app/scopes.py", 6, 5, 10), exhaustive)


def site(*keys: Key, store: str = "memory", call: str = "bank.ingest", line: int = 41) -> Site:
    where = place("app/chat.py", line, 14, 25)
    return Site(where, where, store, call.rpartition(".")[2], call, "write", "answer", keys, complete=True, test=False)


PLAIN = site(key("app_id", writing("as is")), key("user_id", writing("str()", type_="str")))
OPAQUE = Site(
    place=place("app/jobs.py", 7, 1, 9),
    scope_place=place("app/jobs.py", 7, 3, 8),
    store="memory",
    sink="retrieve",
    call="self.bank.retrieve",
    role="read",
    function="run",
    keys=(),
    complete=False,
    test=True,
    opaque="a generator",
    built_at=place("app/scopes.py", 5, 12, 30),
    builders=("app.scopes.outer", "app.scopes.scope_of"),
    via=(Hop(place("app/memory.py", 18, 5, 9), "bank.retrieve(scope=…)"),),
)


def validated(text: str, schema: str) -> dict[str, list[dict[str, object]]]:
    document: dict[str, list[dict[str, object]]] = json.loads(text)
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / schema).read_text(encoding="utf-8")))
    validator.validate(document)
    return document


@pytest.mark.parametrize("name", ["findings.schema.json", "sites.schema.json"])
def test_the_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


def test_json_of_a_finding() -> None:
    document = validated(FORMATS["json"](report(SHAPE_DRIFT)), "findings.schema.json")
    assert document == {
        "version": 1,
        "findings": [
            {
                "rule": "shape-drift",
                "severity": "warning",
                "path": "app/chat.py",
                "line": 41,
                "column": 14,
                "end_line": 41,
                "end_column": 25,
                "store": "memory",
                "key": "user_id",
                "message": "user_id arrives as is; 41 of 44 places store str(…)",
                "effect": "splits",
                "support": {"for": 41, "of": 44, "lower": 0.8178},
                "fingerprint": "5f2c",
                "related": [{"path": "app/jobs.py", "line": 33, "column": 5, "message": "str(uid)"}],
                "fix": None,
            }
        ],
        "stats": {
            "files": 3,
            "parsed": 3,
            "sites": 66,
            "resolved": 63,
            "opaque": 3,
            "ignored": 0,
            "baselined": 0,
            "test_sites": 0,
        },
    }


def test_json_keeps_the_order_of_the_report_and_fits_its_schema() -> None:
    findings = (SHARED_TENANT, UNMATCHED, SHAPE_DRIFT)
    document = validated(FORMATS["json"](report(*findings)), "findings.schema.json")
    assert [found["rule"] for found in document["findings"]] == [found.rule for found in findings]


def test_json_is_indented_utf_8_with_a_last_line_end() -> None:
    text = FORMATS["json"](report(SHAPE_DRIFT))
    assert text.startswith('{\n  "version": 1,\n  "findings": [\n    {\n      "rule": "shape-drift",\n')
    assert "str(…)" in text
    assert text.endswith("}\n")


def test_lone_surrogates_are_spelt_out_in_json() -> None:
    hostile = Finding("r", "error", None, place("bad\udcff.py", 1, 1, 2), None, None, "key '\ud800'")
    text = FORMATS["json"](report(hostile))
    [found] = validated(text, "findings.schema.json")["findings"]
    assert (found["path"], found["message"]) == ("bad\\udcff.py", "key '\\ud800'")
    assert text.encode()


def test_json_of_a_site() -> None:
    document = validated(SITES["json"](report(sites=(PLAIN, OPAQUE))), "sites.schema.json")
    assert document["sites"][1] == {
        "path": "app/jobs.py",
        "line": 7,
        "column": 1,
        "sink": "retrieve",
        "store": "memory",
        "role": "read",
        "complete": False,
        "test": True,
        "built_at": {"path": "app/scopes.py", "line": 5},
        "constructor": "app.scopes.scope_of",
        "keys": {},
        "via": [{"path": "app/memory.py", "line": 18}],
        "opaque": "a generator",
    }
    assert document["sites"][0] == {
        "path": "app/chat.py",
        "line": 41,
        "column": 14,
        "sink": "ingest",
        "store": "memory",
        "role": "write",
        "complete": True,
        "test": False,
        "built_at": None,
        "constructor": None,
        "keys": {
            "app_id": json_key("as is"),
            "user_id": json_key("str()", type="str"),
        },
        "via": [],
        "opaque": None,
    }


def json_key(shape: str, **others: object) -> dict[str, object]:
    """A key in JSON: what a value of no special kind has, apart from `others`."""
    usual: dict[str, object] = {
        "spelling": "call",
        "type": None,
        "constants": [],
        "exhaustive": False,
        "maybe": False,
        "nullable": False,
        "path": "app/scopes.py",
        "line": 7,
    }
    return {"shape": shape, **usual, **others}


ONE = writing("const:str", constant="a", type_="str")
TWO = writing("const:str", constant="b", type_="str")
NONE = writing("const:None", constant="None", type_="None", nullable=True)
STR = writing("str()", type_="str")


@pytest.mark.parametrize(
    ("given_key", "expected"),
    [
        (key("k", STR), json_key("str()", type="str")),
        (key("k", STR, maybe=True), json_key("str()", type="str", maybe=True)),
        (key("k", STR, writing("as is"), STR), json_key("str() | as is")),  # the types do not agree
        (key("k", STR, NONE), json_key("str() | const:None", constants=["None"], nullable=True)),
        (
            key("k", ONE, TWO, ONE),
            json_key("const:str", type="str", spelling="constant", constants=["a", "b"], exhaustive=True),
        ),
        (
            key("k", ONE, exhaustive=False),
            json_key("const:str", type="str", spelling="constant", constants=["a"]),
        ),
        (key("k"), json_key("unknown", spelling="unknown", line=6)),  # at the place of the key itself
    ],
)
def test_alternatives_of_a_key_in_json(given_key: Key, expected: dict[str, object]) -> None:
    document = validated(SITES["json"](report(sites=(site(given_key),))), "sites.schema.json")
    assert document["sites"][0]["keys"] == {"k": expected}


# --- sites as text


def test_sites_stand_side_by_side_under_their_store() -> None:
    partial = Site(
        place=place("app/pages.py", 100, 9, 30),
        scope_place=place("app/pages.py", 100, 12, 29),
        store="cache",
        sink="put",
        call="put",
        role="readwrite",
        function="",
        keys=(key("user_id", STR, writing("as is"), maybe=True),),
        complete=False,
        test=False,
    )
    where = PLAIN.place
    left_out = Site(where, where, "cache", "get", "cache.get", "read", "", (), complete=True, test=False, left_out=True)
    assert SITES["text"](report(sites=(PLAIN, OPAQUE, partial, left_out))) == (
        """\
cache: 2 sites
  app/pages.py:100:9  readwrite  put                 {user_id?: str() | as is, …}
  app/chat.py:41:14   read       cache.get           no scope
memory: 2 sites
  app/chat.py:41:14   write      bank.ingest         {app_id: as is, user_id: str()}
  app/jobs.py:7:1     read       self.bank.retrieve  opaque: a generator  (test)
"""
    )


def test_one_long_name_does_not_push_the_others_out_of_sight() -> None:
    long = site(key("user_id", STR), call="the_memory_of_this_application.ingest")
    assert SITES["text"](report(sites=(PLAIN, long))) == (
        """\
memory: 2 sites
  app/chat.py:41:14  write  bank.ingest  {app_id: as is, user_id: str()}
  app/chat.py:41:14  write  the_memory_of_this_application.ingest  {user_id: str()}
"""
    )


def test_no_sites_are_no_text() -> None:
    assert SITES["text"](report()) == ""


def test_the_colour_of_sites_adds_sequences_and_nothing_else() -> None:
    listed = report(sites=(PLAIN, OPAQUE))
    assert ANSI.sub("", COLOURED_SITES["text"](listed)) == SITES["text"](listed)
    assert ANSI.search(COLOURED_SITES["text"](listed))


# --- the summary

SEEN = Stats(files=9, parsed=4, sites=66, resolved=63, opaque=3)


@pytest.mark.parametrize(
    ("findings", "line"),
    [
        ((), "no findings"),
        ((finding("splits"),), "1 finding in 1 file: 1 splits tenants"),
        ((finding("merges"), finding("merges")), "2 findings in 1 file: 2 merge tenants"),
        (
            (finding("splits"), finding("merges", path="b.py"), finding("splits", path="c.py")),
            "3 findings in 3 files: 1 merges tenants, 2 split them",
        ),
        ((finding("refused"), finding("splits")), "2 findings in 1 file: 1 splits tenants, 1 refused by the store"),
        ((finding(None), finding(None)), "2 findings in 1 file"),
        ((finding(None), finding("splits")), "2 findings in 1 file: 1 splits tenants, 1 other"),
    ],
)
def test_the_summary_counts_findings_by_file_and_effect(findings: tuple[Finding, ...], line: str) -> None:
    assert summarise(report(*findings, stats=SEEN)) == f"{line}\n66 memory calls, 63 resolved, 3 opaque"


@pytest.mark.parametrize(
    ("stats", "line"),
    [
        (Stats(files=1, sites=1, resolved=1), "1 memory call, 1 resolved"),
        (Stats(files=1, sites=2, resolved=1, opaque=1), "2 memory calls, 1 resolved, 1 opaque"),
        (
            Stats(files=1, sites=2, resolved=2, test_sites=12),
            "2 memory calls, 2 resolved; 12 more in test code: --tests",
        ),
        (Stats(files=1), "0 memory calls: nothing was checked"),
        (Stats(files=1, test_sites=12), "0 memory calls: nothing was checked; 12 in test code: --tests"),
        (Stats(), "no Python files: nothing was checked"),
    ],
)
def test_the_summary_says_how_much_was_seen(stats: Stats, line: str) -> None:
    assert coverage(report(stats=stats)) == line
    assert summarise(report(stats=stats)).splitlines()[-1] == line


@pytest.mark.parametrize(
    ("ignored", "line"), [(1, "1 finding ignored by comments"), (2, "2 findings ignored by comments")]
)
def test_the_summary_counts_what_comments_silenced(ignored: int, line: str) -> None:
    stats = Stats(files=1, sites=1, resolved=1, ignored=ignored)
    assert summarise(report(stats=stats)) == f"no findings\n{line}\n1 memory call, 1 resolved"


def test_what_the_parser_refused_is_listed_and_counted() -> None:
    refused = (
        Problem(place("a.py", 3, 1, 2), "not parsed: too new", opaque=True),
        Problem(place("b.py", 4, 1, 2), "no UTF-8"),  # an unreadable-file finding says this
    )
    seen = Report((), (), refused, Stats(files=2, parsed=1))
    assert limits(seen) == "a.py:3:1: note: not parsed: too new"
    assert coverage(seen) == "0 memory calls: nothing was checked; 1 part of the source not understood"


def test_statistics_count_each_rule_the_most_frequent_first() -> None:
    findings = [finding("splits", rule="b-rule")] * 10 + [finding("splits", rule="c-rule", severity="warning")] * 9
    assert statistics(report(*findings, *[finding(None, rule="a-rule")] * 9)) == (
        "10 error[b-rule]\n 9 error[a-rule]\n 9 warning[c-rule]"
    )
    assert statistics(report()) == ""
