"""Where keys and values stand in a TOML text."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint.config.toml_lines import Path, TomlLines
from scope_lint.model import Span

ODD = """\
top = "]" # [not.a.header]
many = [ # a comment ]
    "one",
    [ "two", "three" ],
    { name = "x", sub.part = 1.5 },
]
[ tool . "scope-lint" ]   # spaced
'quo.ted' = '''
[stores.fake]
'''
escaped."caf\\u00e9" = 1979-05-27 07:32:00
stores.dotted.match = "exact"
inline = { a = {}, b = [], c = { d = "}" } }

[tool.scope-lint.stores.memory.shapes]
user_id = "str()"
[tool.scope-lint.stores.memory]
basic = \"\"\"
call = "no" \\\"\"\"
still\"\"\"\"
[[tool.scope-lint.stores.memory.sinks]]
call = "ingest"
[[tool.scope-lint.stores.memory.sinks]]
  role = "read" # ; call = "hidden"
[tool.scope-lint.stores.memory.sinks.scope]
position = 1
"""

TOOL = ("tool", "scope-lint")
MEMORY = (*TOOL, "stores", "memory")

KEYS: dict[Path, tuple[int, str]] = {
    ("top",): (1, "top"),
    ("many",): (2, "many"),
    ("many", 0): (3, '"one"'),
    ("many", 1): (4, "["),
    ("many", 1, 1): (4, '"three"'),
    ("many", 2): (5, "{"),
    ("many", 2, "name"): (5, "name"),
    ("many", 2, "sub"): (5, "sub"),
    ("many", 2, "sub", "part"): (5, "part"),
    ("tool",): (7, '[ tool . "scope-lint" ]'),
    TOOL: (7, '[ tool . "scope-lint" ]'),
    (*TOOL, "quo.ted"): (8, "'quo.ted'"),
    (*TOOL, "escaped", "café"): (11, '"caf\\u00e9"'),
    (*TOOL, "stores", "dotted"): (12, "dotted"),
    (*TOOL, "stores", "dotted", "match"): (12, "match"),
    (*TOOL, "inline", "b"): (13, "b"),
    (*TOOL, "inline", "c", "d"): (13, "d"),
    (*MEMORY, "shapes"): (15, "[tool.scope-lint.stores.memory.shapes]"),
    (*MEMORY, "shapes", "user_id"): (16, "user_id"),
    MEMORY: (17, "[tool.scope-lint.stores.memory]"),
    (*MEMORY, "basic"): (18, "basic"),
    (*MEMORY, "sinks"): (21, "[[tool.scope-lint.stores.memory.sinks]]"),
    (*MEMORY, "sinks", 1): (23, "[[tool.scope-lint.stores.memory.sinks]]"),
    (*MEMORY, "sinks", 1, "role"): (24, "role"),
    (*MEMORY, "sinks", 1, "scope"): (25, "[tool.scope-lint.stores.memory.sinks.scope]"),
    (*MEMORY, "sinks", 1, "scope", "position"): (26, "position"),
}

VALUES: dict[Path, tuple[int, str]] = {
    ("top",): (1, '"]"'),
    ("many", 1, 0): (4, '"two"'),
    (*TOOL, "inline", "c", "d"): (13, '"}"'),
    (*MEMORY, "sinks", 0, "call"): (22, '"ingest"'),
}

MISSING: dict[Path, int] = {
    (*MEMORY, "sinks", 0, "scope", "keyword"): 21,  # in the table around it
    (*MEMORY, "sinks", 7, "call"): 21,
    (*MEMORY, "tenant-keys"): 17,
    (*TOOL, "exclude", 3): 7,
    ("project",): 1,
    (): 1,
}


def text_at(text: str, span: Span) -> str:
    assert span.line == span.end_line
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def test_the_odd_text_is_valid() -> None:
    assert tomllib.loads(ODD)["tool"]["scope-lint"]["stores"]["memory"]["sinks"][1]["scope"] == {"position": 1}


@pytest.mark.parametrize(("path", "expected"), KEYS.items())
def test_a_key_is_found(path: Path, expected: tuple[int, str]) -> None:
    span = TomlLines(ODD).key(path)
    assert (span.line, text_at(ODD, span)) == expected


@pytest.mark.parametrize(("path", "expected"), VALUES.items())
def test_a_value_is_found(path: Path, expected: tuple[int, str]) -> None:
    span = TomlLines(ODD).value(path)
    assert (span.line, text_at(ODD, span)) == expected


@pytest.mark.parametrize(("path", "line"), MISSING.items())
def test_what_is_not_there_is_looked_for_further_out(path: Path, line: int) -> None:
    assert TomlLines(ODD).key(path).line == line
    assert TomlLines(ODD).value(path).line == line


def test_lines_end_at_line_feeds_alone_and_columns_count_characters() -> None:
    text = 'a = "\u2028\x85"\r\n"\U0001f98e\u00e9" = 1\r\nb = 2\r\n'
    assert tomllib.loads(text.replace("\x85", ""))
    lines = TomlLines(text)
    assert lines.key(("b",)) == Span(3, 1, 3, 2)
    assert lines.key(("\U0001f98e\u00e9",)) == Span(2, 1, 2, 5)


@given(st.text(st.sampled_from(list("[]{}=,.#\"'\\\n ab1"))))
def test_no_text_is_too_odd(text: str) -> None:
    span = TomlLines(text).key(("a", 0, "b"))
    assert 1 <= span.line <= text.count("\n") + 1


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4)
values = st.recursive(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


def write(value: object, path: Path, column: int, keys: dict[Path, int]) -> str:
    """A value as TOML on one line from `column` on; notes the column of each key and item."""
    if isinstance(value, list | dict):
        text = "[" if isinstance(value, list) else "{"
        for step, item in enumerate(value) if isinstance(value, list) else value.items():
            keys[*path, step] = column + len(text)
            text += f"{json.dumps(step, ensure_ascii=False)} = " if isinstance(step, str) else ""
            text += write(item, (*path, step), column + len(text), keys) + ", "
        return text.removesuffix(", ") + ("]" if isinstance(value, list) else "}")
    return json.dumps(value, ensure_ascii=False)


@given(st.lists(values, min_size=1, max_size=4))
def test_every_key_of_any_document_is_found_where_it_was_written(documents: list[object]) -> None:
    keys: dict[Path, int] = {}
    lines = [f"k{n} = {write(value, (f'k{n}',), 6, keys)}" for n, value in enumerate(documents)]
    text = "\n".join(lines)
    assert tomllib.loads(text)
    places = TomlLines(text)
    found = {path: places.key(path) for path in keys}
    assert {path: span.column for path, span in found.items()} == keys
    assert {path: f"k{span.line - 1}" for path, span in found.items()} == {path: path[0] for path in keys}
