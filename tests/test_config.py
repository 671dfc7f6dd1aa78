"""Settings: what is accepted and what it means, and which error names which mistake."""

import copy
import datetime as dt
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scope_lint import sdks
from scope_lint.config import Overrides, Settings, SettingsError, find_settings, load_settings, override
from scope_lint.model import Limits, Match, Place, ScopeSpec, Span, Store

RULES = ("missing-key", "disallowed-key", "type-drift", "shape-drift", "no-majority")
HEAD = "[tool.scope-lint]\n"
MEMORY = "[tool.scope-lint.stores.memory]\n"
SINKS = 'sinks = [{ call = "ingest", role = "write" }]\n'
SHIPPED = list(sdks.tables())

Load = Callable[[str], Settings]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads a text as the pyproject.toml of the working directory."""
    monkeypatch.chdir(tmp_path)

    def load_text(text: str) -> Settings:
        Path("pyproject.toml").write_text(text, encoding="utf-8")
        return load_settings(Path("pyproject.toml"), tmp_path, RULES)

    return load_text


def store(settings: Settings, name: str = "memory") -> Store:
    return next(store for store in settings.stores if store.name == name)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused

UNKNOWN_KEYS = {
    HEAD + "exlude = []": "2: exlude: unknown key; did you mean `exclude`?",
    HEAD + "colour = 1": "2: colour: unknown key; expected `exclude`, `select`, `ignore`, `severity`, `fail-on`, "
    "`tests` or `stores`",
    HEAD + '\n"odd key" = 1': '3: "odd key": unknown key; expected',
    MEMORY + 'tenent-keys = ["user_id"]': "2: stores.memory.tenent-keys: unknown key; did you mean `tenant-keys`?",
    MEMORY + "tenant_keys = []": "2: stores.memory.tenant_keys: unknown key; did you mean `tenant-keys`?",
    '[tool.scope-lint.stores."my store"]\nsinsk = []': '2: stores."my store".sinsk: unknown key; did you mean `sinks`?',
    MEMORY
    + 'sinks = [\n  { call = "a", role = "read", scop = "s" },\n]': "3: stores.memory.sinks[0].scop: unknown key; "
    "did you mean `scope`?",
    MEMORY + 'scope = { keywrod = "scope" }': "2: stores.memory.scope.keywrod: unknown key; did you mean `keyword`?",
    MEMORY + 'scope = [\n{ keyword = "a" },\n{ posision = 1 }]': "4: stores.memory.scope[1].posision: unknown key; "
    "did you mean `position`?",
    HEAD + 'stores.memory.sinks = [{ call = "a", role = "read" }]\nstores.memory.mtach = "exact"': "3: "
    "stores.memory.mtach: unknown key; did you mean `match`?",
    # Keys that read like the end of a message of msgspec's.
    MEMORY + '"a - at `$.sinks" = 1\nsinks = []': '2: stores.memory."a - at `$.sinks": unknown key; expected',
    MEMORY + '"a` - at `$.sinks" = 1': '2: stores.memory."a` - at `$.sinks": unknown key; expected',
}

WRONG_TYPES = {
    MEMORY + "limits = { keys = true }": "2: stores.memory.limits.keys: expected a whole number, got a boolean",
    HEAD + 'exclude = "build"': '2: exclude: expected a list of strings, got a string; write ["build"]',
    HEAD + 'ignore = ["type-drift", 3]': "2: ignore: expected a list of strings, got a number in it",
    HEAD + "tests = 1": "2: tests: expected true or false, got a number",
    HEAD + 'tests = "yes"': "2: tests: expected true or false, got a string",
    HEAD + "stores = []": "2: stores: expected a table, got a list",
    HEAD + "stores.memory = 1979-05-27": "2: stores.memory: expected a table, got a date or time",
    HEAD + "severity = true": "2: severity: expected a table, got a boolean",
    HEAD + 'fail-on = "never"': '2: fail-on: unknown value "never"; expected "error" or "warning"',
    HEAD + 'fail-on = "warnings"': '2: fail-on: unknown value "warnings"; did you mean "warning"? expected',
    MEMORY + "tenant-keys = { user_id = 1 }": "2: stores.memory.tenant-keys: expected a list of strings, got a table",
    MEMORY + 'one-of = ["user_id"]': "2: stores.memory.one-of: expected a list of lists of strings, got a string in it",
    MEMORY + "aliases = { actorId = 1 }": "2: stores.memory.aliases.actorId: expected a string, got a number",
    MEMORY + 'limits = { keys = "5" }': "2: stores.memory.limits.keys: expected a whole number, got a string",
    MEMORY
    + 'limits.patterns = { user_id = "(" }\nscope = "scope"\n'
    + SINKS: "2: stores.memory.limits.patterns.user_id: no regular",
    MEMORY + "shapes = 'str()'": "2: stores.memory.shapes: expected a table of strings, got a string",
    "[tool.scope-lint.stores.memory.shapes]\n\nuser_id = []": "3: stores.memory.shapes.user_id: expected a string",
    MEMORY + 'sinks = ["ingest"]': "2: stores.memory.sinks: expected a list of tables, got a string in it",
    MEMORY
    + "scope = 1": "2: stores.memory.scope: expected a string, a table or a list of strings or tables, got a number",
    MEMORY + 'scope = { position = "1" }': "2: stores.memory.scope.position: expected a whole number, got a string",
    MEMORY + "scope = { position = 1.0 }": "2: stores.memory.scope.position: expected a whole number, got a number",
    MEMORY + 'enabled = "no"': "2: stores.memory.enabled: expected true or false, got a string",
    "[tool]\nscope-lint = 1": "2: tool.scope-lint: expected a table",
}

UNKNOWN_VALUES = {
    HEAD + r'ignore = ["a\nb\u001b"]': r"2: ignore[0]: unknown rule `a\nb\x1b`; expected",
    MEMORY + 'match = "exakt"': '2: stores.memory.match: unknown value "exakt"; did you mean "exact"? '
    'expected "exact", "prefix" or "subset"',
    MEMORY + 'non-strings = "no"': '2: stores.memory.non-strings: unknown value "no"; expected "coerced", "kept" or '
    '"refused"',
    MEMORY + 'sinks = [{ call = "a", role = "wrte" }]': '2: stores.memory.sinks[0].role: unknown value "wrte"; did you '
    'mean "write"? expected "bind", "delete", "read", "readwrite" or "write"',
    MEMORY + 'scope = { keyword = "s", form = "dict" }': '2: stores.memory.scope.form: unknown value "dict"; expected '
    '"carried", "filter", "filter-string", "flat", "id", "mapping", "names", "namespace", "payload" or "template"',
    HEAD + 'select = [\n    "type-drift",\n    "shape-drit",\n]': "4: select[1]: unknown rule `shape-drit`; "
    "did you mean `shape-drift`?",
    HEAD
    + 'ignore = ["E501"]': "2: ignore[0]: unknown rule `E501`; expected `missing-key`, `disallowed-key`, `type-drift`, "
    "`shape-drift` or `no-majority`",
    HEAD + 'severity = { missing-kye = "error" }': "2: severity.missing-kye: unknown rule; did you mean `missing-key`?",
    "[tool.scope-lint.severity]\n\ntype-drift = 'off'": '3: severity.type-drift: expected "error" or "warning"',
    "[tool.scope-lint.severity]\ntype-drift = []": '2: severity.type-drift: expected "error" or "warning"',
    HEAD + 'exclude = ["!"]': '2: exclude[0]: "!" is not a gitignore pattern',
}

CONTRADICTIONS = {
    MEMORY + 'scope = "scope"': "1: stores.memory.sinks: missing; name the calls",
    MEMORY + 'scope = "scope"\nsinks = []': "3: stores.memory.sinks: an empty list; name the calls",
    "[tool.scope-lint.stores.genric]\nenabled = false": "1: stores.genric.sinks: missing; name the calls that take the "
    'scope: sinks = [{ call = "ingest", role = "write" }]; if the preset is meant, its name is `generic`',
    "[tool.scope-lint.stores.generic]\nsinks = []": "2: stores.generic.sinks: an empty list",
    MEMORY
    + SINKS: "2: stores.memory.sinks[0].scope: neither this sink nor its store says where the scope stands; write",
    MEMORY
    + 'scope = "scope"\nsinks = [{ role = "write" }]': "3: stores.memory.sinks[0].call: missing; expected a string",
    MEMORY + 'scope = "scope"\nsinks = [{ call = "a" }]': '3: stores.memory.sinks[0].role: missing; expected "bind", ',
    MEMORY + 'scope = "scope"\nsinks = [{ call = "bank.", role = "read" }]': "3: stores.memory.sinks[0].call: "
    '"bank." is not a dotted name; write "ingest" or "myapp.bank.Bank.ingest"',
    MEMORY
    + 'scope = "scope"\nsinks = [{ call = "a()", role = "read" }]': '3: stores.memory.sinks[0].call: "a()" is not',
    MEMORY + 'scope = "scope"\nsinks = [\n{ call = "a", role = "read" },\n{ call = "a", role = "write" }]': "5: "
    'stores.memory.sinks[1].call: "a" is a sink of this store already; remove one of them',
    MEMORY
    + 'scope = "the scope"\n'
    + SINKS: '2: stores.memory.scope: "the scope" is not the name of a keyword argument',
    MEMORY + "scope = []\n" + SINKS: "2: stores.memory.scope: an empty list says nowhere; write",
    MEMORY + 'scope = ["a", { keyword = "b" }]\n' + SINKS: "2: stores.memory.scope: strings and tables in one list",
    MEMORY + 'scope = ["user_id", "user-id"]\n' + SINKS: '2: stores.memory.scope[1]: "user-id" is not the name of a',
    MEMORY + 'scope = { path = "a" }\n' + SINKS: "2: stores.memory.scope: says no place; write keyword",
    MEMORY + 'scope = { keyword = "" }\n' + SINKS: '2: stores.memory.scope.keyword: "" is not the name',
    MEMORY + "scope = { position = -1 }\n" + SINKS: "2: stores.memory.scope.position: negative; positions count from 0",
    MEMORY
    + 'scope = { keyword = "a", path = "b..c" }\n'
    + SINKS: "2: stores.memory.scope.path: expected keys joined by",
    MEMORY + 'scope = { form = "flat" }\n' + SINKS: '2: stores.memory.scope: form "flat" without keys; write',
    MEMORY
    + 'scope = { keyword = "a", keys = ["b"] }\n'
    + SINKS: "2: stores.memory.scope.keyword: flat keys are keywords",
    MEMORY + 'scope = { keyword = "a", form = "id", keys = ["b"] }\n' + SINKS: "2: stores.memory.scope.keys: only form",
    MEMORY + SINKS + 'scope = "s"\ntenant-keys = ["a"]\napplication-keys = ["b", "a"]': "5: "
    'stores.memory.application-keys[1]: "a" is declared in tenant-keys already; keep one of them',
    MEMORY + SINKS + 'scope = "s"\ntenant-keys = ["a", "a"]': '4: stores.memory.tenant-keys[1]: "a" is declared in',
    MEMORY + SINKS + 'scope = "s"\none-of = [["a"]]': "4: stores.memory.one-of[0]: expected two different keys or more",
    MEMORY
    + SINKS
    + 'scope = "s"\nconstructors = ["scope of"]': '4: stores.memory.constructors[0]: "scope of" is not a',
    MEMORY + SINKS + 'scope = "s"\nchecked = ["bank==1", "bank>=2"]': '4: stores.memory.checked[1]: "bank>=2" is not a '
    "release, such as",
    MEMORY + 'checked = ["bank==1"]\nscope = "s"\nsinks = [{ call = "a", role = "read", versions = "2" }]': "4: "
    'stores.memory.sinks[0].versions: "2" is not a version specifier, such as',
    MEMORY + 'scope = "s"\nsinks = [{ call = "a", role = "read", versions = ">=2" }]': "3: "
    "stores.memory.sinks[0].versions: of what? write checked = ",
}

NOT_TOML = {
    HEAD + "exclude = [": "2: invalid TOML: ",
    HEAD + "exclude\n": "2: invalid TOML: Expected '=' after a key in a key/value pair (column 8)",
    HEAD + "tests = true\ntests = false": "3: invalid TOML: Cannot overwrite a value",
    HEAD + "a = " + "[" * 5000: " invalid TOML: nested too deeply",
    HEAD + "a = " + "9" * 5000: " invalid TOML: a number with too many digits",
    "[tool.other]\n": " has no table [tool.scope-lint]; write one",
    "tool = 1": " has no table [tool.scope-lint]; write one",
}


@pytest.mark.parametrize(
    ("text", "message"), {**UNKNOWN_KEYS, **WRONG_TYPES, **UNKNOWN_VALUES, **CONTRADICTIONS, **NOT_TOML}.items()
)
def test_a_mistake_is_named_with_its_line_and_mend(load: Load, text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(text)
    assert str(caught.value).startswith(f"pyproject.toml:{message}")
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_utf_8_are_named_with_their_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "sub" / "scope-lint.toml"
    file.parent.mkdir()
    file.write_bytes(b"tests = true\n# caf\xe9\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(file, tmp_path, RULES)
    assert str(caught.value) == "sub/scope-lint.toml:2: not UTF-8 (byte 0xe9); save the file as UTF-8"


@pytest.mark.parametrize("make", [Path.mkdir, Path.absolute, lambda file: file.symlink_to(file)])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], object]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "bank.toml"
    make(file)
    with pytest.raises(SettingsError, match=r"^bank\.toml: cannot be read: .+; check the path and its permissions$"):
        load_settings(file, tmp_path, RULES)


def test_a_section_within_a_file_of_settings_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "scope-lint.toml"
    file.write_text("\n[tool.scope-lint]\ntests = true\n")
    with pytest.raises(SettingsError, match=r"scope-lint\.toml:2: tool: settings stand at the top level here"):
        load_settings(file, tmp_path, RULES)


scalars = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(["", "scope", "exact", "read", "flat", "a.b", "type-drift", "error", "!"]),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.dates(min_value=dt.date(1000, 1, 1)),
)
VALID = {
    "exclude": ["build/"],
    "select": ["type-drift"],
    "ignore": ["missing-key"],
    "severity": {"type-drift": "warning"},
    "fail-on": "error",
    "tests": True,
    "stores": {
        "generic": {"tenant-keys": ["user_id"]},
        "memory": {
            "scope": [{"keyword": "scope", "position": 1, "path": "a.b", "form": "filter"}, {"keys": ["user_id"]}],
            "tenant-keys": ["user_id"],
            "application-keys": ["app_id"],
            "one-of": [["user_id", "graph_id"]],
            "aliases": {"userId": "user_id"},
            "match": "subset",
            "non-strings": "kept",
            "constructors": ["app.scope_of"],
            "shapes": {"user_id": "str()"},
            "sinks": [{"call": "a.b", "role": "read", "scope": "scope", "match": "exact", "mapping-only": True}],
            "enabled": True,
            "on": ["bank"],
            "receivers": ["bank.Client"],
            "limits": {"keys": 5, "patterns": {"user_id": "^[a-z]+$"}, "wildcards": ["*"]},
        },
    },
}


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values within."""
    steps: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    for step, item in steps:
        yield (*path, step)
        yield from paths(item, (*path, step))


words = st.sampled_from(sorted({str(step) for path in paths(VALID) for step in path}))
tables = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3), inner, max_size=5),
    max_leaves=25,
)


def written(value: object) -> str:
    """A value as TOML."""
    match value:
        case dict():
            return "{" + ", ".join(f"{written(key)} = {written(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case bool():
            return str(value).lower()
        case _:
            return str(value)


def complaint(base: Path, settings: dict[str, Any]) -> str | None:
    """What loading these settings is refused with."""
    file = base / "any.toml"
    file.write_text(
        "\n".join(f"{written(key)} = {written(value)}" for key, value in settings.items()), encoding="utf-8"
    )
    try:
        load_settings(file, base, RULES)
    except SettingsError as error:
        return str(error)
    return None


def test_the_valid_settings_are_accepted(tmp_path: Path) -> None:
    assert complaint(tmp_path, VALID) is None


@given(path=st.sampled_from(list(paths(VALID))), value=tables)
def test_no_value_in_the_place_of_a_right_one_raises_anything_but_a_settings_error(
    tmp_path_factory: pytest.TempPathFactory, path: tuple[str | int, ...], value: object
) -> None:
    settings = copy.deepcopy(VALID)
    around: Any = settings
    for step in path[:-1]:
        around = around[step]
    around[path[-1]] = value
    message = complaint(tmp_path_factory.getbasetemp(), settings)
    assert message is None or re.fullmatch(r".*any\.toml:\d+: .+", message)


@given(settings=st.dictionaries(words, tables, max_size=4))
def test_no_tables_raise_anything_but_a_settings_error(
    tmp_path_factory: pytest.TempPathFactory, settings: dict[str, Any]
) -> None:
    message = complaint(tmp_path_factory.getbasetemp(), settings)
    assert message is None or re.fullmatch(r".*any\.toml:\d+: .+", message)


# ---------------------------------------------------------------------------------------------------------------------
# What is accepted


def test_the_defaults_of_no_file_and_of_an_empty_table_are_the_same(load: Load, tmp_path: Path) -> None:
    none, empty = load_settings(None, tmp_path, RULES), load(HEAD)
    assert none == Settings(file=None, root=tmp_path, stores=none.stores)
    assert empty == Settings(file=tmp_path / "pyproject.toml", root=tmp_path, stores=none.stores)
    assert [store.name for store in none.stores] == SHIPPED


def test_every_setting_arrives(load: Load) -> None:
    settings = load(
        HEAD
        + """exclude = ["build/", "!build/kept"]
select = ["type-drift", "no-majority"]
ignore = ["shape-drift"]
severity = { type-drift = "warning", no-majority = "error" }
fail-on = "error"
tests = true
"""
    )
    assert settings.exclude == ("build/", "!build/kept")
    assert settings.select == ("type-drift", "no-majority")
    assert settings.ignore == ("shape-drift",)
    assert settings.severity == (("type-drift", "warning"), ("no-majority", "error"))
    assert settings.fail_on == "error"
    assert settings.tests is True


def test_no_rule_selected_is_not_the_same_as_no_selection(load: Load) -> None:
    assert load(HEAD + "select = []").select == ()


def test_the_table_of_the_design_becomes_a_store(load: Load) -> None:
    settings = load(
        MEMORY
        + """scope = "scope"
tenant-keys = ["user_id"]
application-keys = ["app_id"]
narrowing-keys = ["session_id"]
one-of = [["user_id", "graph_id"]]
other-keys = ["lang"]
aliases = { actorId = "actor_id" }
match = "subset"
non-strings = "coerced"
constructors = ["myapp.tenancy.scope_of"]
shapes = { user_id = "str()" }
sinks = [
    { call = "ingest", role = "write" },
    { call = "myapp.bank.Bank.forget", role = "delete", scope = ["user_id", "session_id"], match = "exact" },
    { call = "add", role = "readwrite", mapping-only = true, keys = ["user_id"], default = "all", refuses = ["limit"] },
]
on = ["bank"]
receivers = ["bank.Client"]
limits = { keys = 5, patterns = { "*" = "[^*]*" }, wildcards = ["*"] }
"""
    )
    memory = store(settings)
    assert memory.tenant_keys == ("user_id",)
    assert memory.application_keys == ("app_id",)
    assert memory.narrowing_keys == ("session_id",)
    assert memory.one_of == (("user_id", "graph_id"),)
    assert memory.other_keys == ("lang",)
    assert memory.aliases == (("actorId", "actor_id"),)
    assert (memory.match, memory.non_strings) == ("subset", "coerced")
    assert memory.constructors == ("myapp.tenancy.scope_of",)
    assert memory.shapes == (("user_id", "str()"),)
    assert (memory.on, memory.receivers) == (("bank",), ("bank.Client",))
    assert memory.limits == Limits(5, (("*", "[^*]*"),), ("*",))
    ingest, forget, add = memory.sinks
    assert (add.keys, add.default, add.refuses) == (("user_id",), "all", ("limit",))
    assert (ingest.call, ingest.role, ingest.match) == ("ingest", "write", None)
    assert ingest.scopes == (ScopeSpec(form="mapping", keyword="scope"),)
    assert (forget.call, forget.role, forget.match) == ("myapp.bank.Bank.forget", "delete", "exact")
    assert forget.scopes == (ScopeSpec(form="flat", keys=("user_id", "session_id")),)
    assert (ingest.mapping_only, add.mapping_only) == (False, True)
    assert add.scopes == ingest.scopes


SCOPES = {
    '"scope"': [ScopeSpec(form="mapping", keyword="scope")],
    '["user_id", "agent_id"]': [ScopeSpec(form="flat", keys=("user_id", "agent_id"))],
    '{ keyword = "scope", position = 1 }': [ScopeSpec(form="mapping", keyword="scope", position=1)],
    "{ position = 0 }": [ScopeSpec(form="mapping", position=0)],
    '{ keyword = "config", path = "configurable" }': [
        ScopeSpec(form="mapping", keyword="config", path=("configurable",))
    ],
    '{ keyword = "request", path = "a.b" }': [ScopeSpec(form="mapping", keyword="request", path=("a", "b"))],
    '{ keyword = "filters", form = "filter" }': [ScopeSpec(form="filter", keyword="filters")],
    '{ keyword = "namespace", position = 0, form = "namespace" }': [
        ScopeSpec(form="namespace", keyword="namespace", position=0)
    ],
    '{ keyword = "namespace", form = "template" }': [ScopeSpec(form="template", keyword="namespace")],
    '{ keyword = "bank_id", form = "id" }': [ScopeSpec(form="id", keyword="bank_id")],
    '{ keys = ["user_id"] }': [ScopeSpec(form="flat", keys=("user_id",))],
    '[{ keys = ["user_id"] }, { keyword = "filters", form = "filter" }]': [
        ScopeSpec(form="flat", keys=("user_id",)),
        ScopeSpec(form="filter", keyword="filters"),
    ],
}


@pytest.mark.parametrize(("scope", "specs"), SCOPES.items())
@pytest.mark.parametrize("at_the_sink", [True, False])
def test_a_scope_says_where_it_stands(load: Load, scope: str, specs: list[ScopeSpec], *, at_the_sink: bool) -> None:
    if at_the_sink:
        text = f'scope = "other"\nsinks = [{{ call = "ingest", role = "write", scope = {scope} }}]'
    else:
        text = f"scope = {scope}\n{SINKS}"
    assert store(load(MEMORY + text)).sinks[0].scopes == tuple(specs)


@pytest.mark.parametrize("match", ["exact", "subset", "prefix"])
def test_each_match_is_accepted(load: Load, match: Match) -> None:
    assert store(load(MEMORY + SINKS + f'scope = "s"\nmatch = "{match}"')).match == match


def test_stores_and_sinks_know_where_they_are_declared(load: Load) -> None:
    memory = store(load(f'# settings\n{MEMORY}scope = "s"\nsinks = [\n    {{ call = "ingest", role = "write" }},\n]'))
    assert memory.declared_at == Place("pyproject.toml", Span(2, 1, 2, 32))
    assert memory.sinks[0].declared_at == Place("pyproject.toml", Span(5, 14, 5, 22))


def test_places_are_relative_to_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app").mkdir()
    file = tmp_path / "settings" / "scope-lint.toml"
    file.parent.mkdir()
    file.write_text(f'[stores.memory]\nscope = "s"\n{SINKS}')
    monkeypatch.chdir(tmp_path / "app")
    place = store(load_settings(file, tmp_path, RULES)).declared_at
    assert place is not None
    assert place.path == "../settings/scope-lint.toml"


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "scope-lint.toml"
    file.write_bytes(b"\xef\xbb\xbftests = true\r\nignore = []\r\n[stores.memory]\r\nscop = 1\r\n")
    with pytest.raises(SettingsError, match=r"^scope-lint\.toml:4: stores\.memory\.scop: unknown key"):
        load_settings(file, tmp_path, RULES)


# ---------------------------------------------------------------------------------------------------------------------
# Presets and the user


def test_the_stores_of_the_user_come_first_and_generic_last(load: Load) -> None:
    text = "".join(f'[tool.scope-lint.stores.{name}]\nscope = "s"\n{SINKS}' for name in ("generic", "zoo", "ark"))
    assert [store.name for store in load(text).stores] == ["zoo", "ark", *SHIPPED]


def test_a_table_with_a_preset_s_name_changes_what_it_gives_and_adds_sinks(load: Load) -> None:
    shipped = store(load(HEAD), "generic")
    changed = store(
        load(
            "[tool.scope-lint.stores.generic]\n"
            'tenant-keys = ["user_id"]\n'
            'sinks = [{ call = "remember", role = "write" }, { call = "add", role = "write" }]'
        ),
        "generic",
    )
    remember, add, *rest = changed.sinks
    assert changed.tenant_keys == ("user_id",)
    assert (changed.match, changed.non_strings) == (shipped.match, shipped.non_strings)
    assert (remember.call, remember.scopes) == ("remember", shipped.sinks[0].scopes)
    assert (add.call, add.mapping_only) == ("add", False)
    assert rest == [sink for sink in shipped.sinks if sink.call != "add"]
    assert changed.declared_at is not None
    assert add.declared_at is not None


@pytest.mark.parametrize(
    ("text", "names"),
    {
        "[tool.scope-lint.stores.generic]\nenabled = false": SHIPPED[:-1],
        MEMORY + 'enabled = false\nscope = "s"\n' + SINKS: SHIPPED,
        MEMORY + 'enabled = true\nscope = "s"\n' + SINKS: ["memory", *SHIPPED],
    }.items(),
)
def test_a_store_can_be_switched_off(load: Load, text: str, names: list[str]) -> None:
    assert [store.name for store in load(text).stores] == names


# ---------------------------------------------------------------------------------------------------------------------
# Which file

TREES: dict[str, tuple[dict[str, str], str | None]] = {
    "none": ({"pyproject.toml": "[project]\n"}, None),
    "same folder": ({"a/b/pyproject.toml": HEAD}, "a/b/pyproject.toml"),
    "further up": ({"pyproject.toml": HEAD, "a/b/pyproject.toml": "[tool.ruff]\n"}, "pyproject.toml"),
    "nearest": ({"pyproject.toml": HEAD, "a/pyproject.toml": HEAD}, "a/pyproject.toml"),
    "own file wins": ({"a/pyproject.toml": HEAD, "a/scope-lint.toml": ""}, "a/scope-lint.toml"),
    "nearer wins": ({"scope-lint.toml": "", "a/pyproject.toml": HEAD}, "a/pyproject.toml"),
    "sub-table alone": ({"pyproject.toml": MEMORY}, "pyproject.toml"),
    "mentioned alone": ({"pyproject.toml": "# scope-lint\n[tool.other]\nscope-lint = 1\n"}, None),
    "tool is no table": ({"pyproject.toml": "tool = 'scope-lint'\n"}, None),
    "broken": ({"pyproject.toml": HEAD, "a/pyproject.toml": "[[["}, "pyproject.toml"),
    "not text": ({"pyproject.toml": HEAD, "a/pyproject.toml": "\x00"}, "pyproject.toml"),
    "a folder of that name": ({"pyproject.toml": HEAD, "a/scope-lint.toml/x": ""}, "pyproject.toml"),
}


@pytest.mark.parametrize(("files", "expected"), TREES.values(), ids=TREES.keys())
@pytest.mark.parametrize("start", ["a/b", "a/b/app.py", "a/b/missing.py", "a/../a/b"])
def test_the_nearest_settings_upwards_hold(
    tmp_path: Path, files: dict[str, str], expected: str | None, start: str
) -> None:
    for name, text in {"a/b/app.py": "", **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert find_settings(tmp_path / start) == (None if expected is None else tmp_path / expected)


def test_a_relative_start_is_found_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scope-lint.toml").touch()
    assert find_settings(Path()) == tmp_path / "scope-lint.toml"


@pytest.mark.parametrize(
    ("content", "message"),
    {
        b"[tool.scope-lint\n": ":1: invalid TOML: ",
        b"[tool.scope-lint]\n# \xff\n": ":2: not UTF-8",
    }.items(),
)
def test_a_broken_file_that_means_us_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=f"pyproject.toml{message}"):
        find_settings(tmp_path)


def test_links_that_lead_nowhere_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "scope-lint.toml").symlink_to(tmp_path / "gone.toml")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert find_settings(tmp_path / "loop") is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the system lets this user read everything")
def test_settings_without_permission_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "scope-lint.toml").touch(mode=0)
    with pytest.raises(SettingsError, match="cannot be read: Permission denied"):
        find_settings(tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# The command line


def test_nothing_said_changes_nothing(load: Load) -> None:
    settings = load(HEAD + 'select = ["type-drift"]\nignore = ["shape-drift"]\ntests = true')
    assert override(settings, Overrides(), RULES) == settings


def test_the_command_line_replaces_and_adds(load: Load) -> None:
    settings = load(HEAD + 'exclude = ["a"]\nselect = ["type-drift"]\nignore = ["shape-drift", "missing-key"]')
    overrides = Overrides(select=("shape-drift",), ignore=("no-majority",), exclude=("b",), tests=True)
    changed = override(settings, overrides, RULES)
    assert changed.select == ("shape-drift",)
    assert changed.ignore == ("missing-key", "no-majority")
    assert changed.exclude == ("a", "b")
    assert changed.tests is True


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (Overrides(select=("type-drit",)), "--select: unknown rule `type-drit`; did you mean `type-drift`?"),
        (Overrides(ignore=("x",)), "--ignore: unknown rule `x`; expected `missing-key`, `disallowed-key`, "),
        (Overrides(exclude=("!",)), '--exclude: "!" is not a gitignore pattern'),
    ],
)
def test_a_mistake_on_the_command_line_names_the_option(load: Load, overrides: Overrides, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        override(load(HEAD), overrides, RULES)
    assert str(caught.value).startswith(message)
