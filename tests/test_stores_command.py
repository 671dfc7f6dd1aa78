"""`scope-lint stores`: which stores are on and why, what was called of them, and what was not understood."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from os import environ
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scope_lint.cli import scope_lint
from scope_lint.model import (
    Inventory,
    Place,
    Reason,
    Report,
    SinkUse,
    Span,
    Stats,
    StoreUse,
    UncountedClass,
    UnrecognisedSdk,
)
from scope_lint.pipeline import check
from scope_lint.report import COLOURED_STORES, STORES
from scope_lint.report.cells import visible

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "stores.schema.json").read_text(encoding="utf-8"))
ANSI = re.compile(r"\x1b\[[0-9;]*m")

Write = Callable[[Mapping[str, str]], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes files into a new folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def files(texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")

    return files


def stores(*arguments: str) -> str:
    result = CliRunner().invoke(scope_lint, ["stores", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*arguments: str) -> dict[str, list[dict[str, object]]]:
    document: dict[str, list[dict[str, object]]] = json.loads(stores("--format", "json", *arguments))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


# --- which stores are on, and what was called of them

SETTINGS = """\
[stores.shelf]
scope = "scope"
sinks = [
    { call = "put_away", role = "write" },
    { call = "look_up", role = "read" },
    { call = "throw_out", role = "delete" },
]
"""
SHELF = """\
def keep(shelf, user):
    shelf.put_away(scope={"user_id": user})
    shelf.put_away(scope=load(user))
    return shelf.look_up(scope={"user_id": user})
"""
SHELF_TEXT = """\
shelf: 3 calls, 1 opaque
  why     declared at scope-lint.toml:1
  write   2  put_away 2
  read    1  look_up 1
  delete  0  throw_out 0
on, but without a call
  generic: calls that pass scope=
"""
GRAPH = """\
from graphiti_core import Graphiti

async def keep(graph: Graphiti, group):
    await graph.add_episode(group_id=group)
    await graph.search("q", group_ids=[group])
    await graph.search("r", group_ids=[group])
"""
GRAPH_TEXT = """\
graphiti: 3 calls
  why     app.py imports graphiti_core
  write   1  add_episode 1
  read    2  search 2
  delete  0
on, but without a call
  generic: calls that pass scope=
"""
GENERIC = """\
def keep(bank, user):
    bank.ingest(scope={"user_id": user})
    bank.delete_all(scope={"user_id": user})
"""
GENERIC_TEXT = """\
generic: 2 calls
  why     calls that pass scope=
  write   1  ingest 1
  read    0
  delete  1  delete_all 1
"""
HOME_MADE = """\
def keep(ledger, user):
    ledger.remember("a", user_id=user)
    ledger.recall(user_id=user)
"""
HOME_MADE_TEXT = """\
home-made ledger: 2 calls
  why     ledger is written and read under an identity, first at app.py:2
  write   1  ledger.remember 1
  read    1  ledger.recall 1
  delete  0
on, but without a call
  generic: calls that pass scope=
"""
BOUND = """\
from memobase import MemoBaseClient

def profile(client: MemoBaseClient, user):
    return client.get_user(user)
"""
BOUND_TEXT = """\
memobase: 1 call
  why     app.py imports memobase
  bind    1  get_user 1
on, but without a call
  generic: calls that pass scope=
"""
BOTH = """\
from google.adk.runners import Runner

async def talk(user, session):
    runner = Runner(app_name="help")
    async for event in runner.run_async(user_id=user, session_id=session):
        print(event)
"""
BOTH_TEXT = """\
google-adk: 2 calls
  why     app.py imports google.adk
  write   1  run_async 1
  read    1  run_async 1
  delete  0
  bind    1  Runner 1
on, but without a call
  generic: calls that pass scope=
"""
MENTION = "# TODO: add_session_to_memory\n"
MENTION_TEXT = """\
on, but without a call
  google-adk: app.py mentions add_session_to_memory
  generic: calls that pass scope=
"""


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"app.py": SHELF, "scope-lint.toml": SETTINGS}, SHELF_TEXT),
        ({"app.py": GRAPH}, GRAPH_TEXT),
        ({"app.py": GENERIC}, GENERIC_TEXT),
        ({"app.py": HOME_MADE}, HOME_MADE_TEXT),
        ({"app.py": BOUND}, BOUND_TEXT),
        ({"app.py": BOTH}, BOTH_TEXT),
        ({"app.py": MENTION}, MENTION_TEXT),
        ({}, "on, but without a call\n  generic: calls that pass scope=\n"),
    ],
    ids=["settings", "import", "always", "calls", "bind", "readwrite", "mention", "nothing"],
)
def test_a_store_is_shown_with_its_reason_and_its_calls(write: Write, files: Mapping[str, str], text: str) -> None:
    write(files)
    assert stores() == text


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ((), "graphiti: 3 calls; 3 more in test code: --tests"),
        (("--tests",), "graphiti: 6 calls, 3 in test code"),
        (("tests",), "graphiti: no calls; 3 in test code: --tests"),
        (("app.py",), "graphiti: 3 calls"),
        (("--exclude", "app.py"), "graphiti: no calls; 3 in test code: --tests"),
    ],
)
def test_the_calls_are_those_that_sites_shows(write: Write, arguments: tuple[str, ...], first: str) -> None:
    write({"app.py": GRAPH, "tests/test_app.py": GRAPH})
    assert stores(*arguments).splitlines()[0] == first


@pytest.mark.parametrize(
    ("paths", "path", "sites"),
    [
        ((), "app.py", 6),  # test code is the last to be named
        (("more",), "more/app.py", 3),
        (("plain.py",), "app.py", 0),  # a store is on in the whole project
        (("a", "plain.py"), "a/test_app.py", 0),
    ],
)
def test_the_file_that_is_named_is_in_the_paths_if_one_is(
    write: Write, paths: tuple[str, ...], path: str, sites: int
) -> None:
    write({"scope-lint.toml": "", "a/test_app.py": GRAPH, "app.py": GRAPH, "more/app.py": GRAPH, "plain.py": ""})
    [graph] = [store for store in as_json(*paths)["stores"] if store["name"] == "graphiti"]
    assert graph["why"] == {"how": "import", "name": "graphiti_core", "path": path, "line": None}
    assert graph["sites"] == sites


def test_projects_are_one_list_and_what_each_declares_stays_apart(write: Write) -> None:
    for folder in ("one", "two"):
        write({f"{folder}/scope-lint.toml": SETTINGS, f"{folder}/app.py": SHELF, f"{folder}/graph.py": GRAPH})
    assert stores("two", "one") == (
        """\
shelf: 3 calls, 1 opaque
  why     declared at one/scope-lint.toml:1
  write   2  put_away 2
  read    1  look_up 1
  delete  0  throw_out 0
shelf: 3 calls, 1 opaque
  why     declared at two/scope-lint.toml:1
  write   2  put_away 2
  read    1  look_up 1
  delete  0  throw_out 0
graphiti: 6 calls
  why     one/graph.py imports graphiti_core
  write   2  add_episode 2
  read    4  search 4
  delete  0
on, but without a call
  generic: calls that pass scope=
"""
    )


# --- what was not understood


IMPORTED = "import graphiti_core\n"
OFF = "[stores.graphiti]\nenabled = false\n"


def in_vain(*files: str, modules: str = "graphiti_core", stores: str = "graphiti") -> list[dict[str, object]]:
    return [{"modules": modules.split(), "stores": stores.split(), "files": list(files)}]


@pytest.mark.parametrize(
    ("files", "arguments", "expected"),
    [
        ({"app.py": IMPORTED}, (), in_vain("app.py")),
        ({"app.py": GRAPH}, (), []),
        ({"app.py": GRAPH, "lib.py": IMPORTED}, (), []),
        ({"app.py": GRAPH, "lib.py": IMPORTED}, ("lib.py",), in_vain("lib.py")),  # a corpus by itself
        ({"app.py": GRAPH, "lib.py": IMPORTED, "scope-lint.toml": ""}, ("lib.py",), []),
        ({"lib.py": IMPORTED, "test_app.py": GRAPH}, (), []),  # a call in test code is one, too
        ({"test_app.py": IMPORTED}, (), []),
        ({"test_app.py": IMPORTED}, ("--tests",), in_vain("test_app.py")),
        ({"app.py": IMPORTED, "scope-lint.toml": OFF}, (), []),
        (  # one module can switch several stores on
            {"b.py": "import chromadb\n", "a.py": "from chromadb import config\n"},
            (),
            in_vain("a.py", "b.py", modules="chromadb", stores="chromadb chromadb-tenants"),
        ),
        ({"a.py": 'import chromadb\nchromadb.HttpClient(tenant="a")\n'}, (), []),  # of which one with a call is enough
        (  # and several modules one store
            {"a.py": "import zep_cloud\n", "b.py": "import letta_client\n", "c.py": "import letta\n"},
            (),
            [
                *in_vain("b.py", modules="letta_client", stores="letta"),
                *in_vain("a.py", modules="zep_cloud", stores="zep"),
            ],
        ),
    ],
)
def test_an_sdk_without_a_recognised_call_is_listed(
    write: Write, files: Mapping[str, str], arguments: tuple[str, ...], expected: list[dict[str, object]]
) -> None:
    write(files)
    assert as_json(*arguments)["unrecognised"] == expected


NOTES = """class Notes:
    def add(self, text, user_id): ...
    def search(self, query, user_id): ...
    def delete_all(self, user_id): ...
"""
USED = """from notes import Notes

def keep(user):
    notes = Notes()
    notes.add("a", user_id=user)
    notes.search("a", user_id=user)
"""
NESTED = """\
class Outer:
    size = 1

    class Notes:
        def add(self, text, user_id): ...
        def search(self, query, user_id): ...
"""
OWN_NOTES = """\
class UserNotes:
    def put(self, text, user_id): ...
    def recall(self, user_id): ...

def keep(notes, user):
    notes.put("a", user_id=user)
    notes.recall(user_id=user)
"""
SDK = NOTES.replace("Notes", "Graphiti")
LISTED = "notes.py:1:7 Notes add/search/delete_all"


def declared(call: str) -> str:
    return f'[stores.notes]\nscope = ["user_id"]\nsinks = [{{ call = "{call}", role = "write" }}]\n'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"notes.py": NOTES}, [LISTED]),
        ({"notes.py": NOTES, "app.py": USED}, [LISTED]),
        ({"notes.py": f"@final\n{NOTES}"}, ["notes.py:2:7 Notes add/search/delete_all"]),
        ({"notes.py": NESTED}, ["notes.py:4:11 Outer.Notes add/search/"]),
        ({"notes.py": NOTES.replace("class ", "class \\\n")}, ["notes.py:1:1 Notes add/search/delete_all"]),
        ({"notes.py": NOTES.replace("user_id):", "text):")}, []),
        ({"notes.py": NOTES.replace("search", "look")}, []),
        ({"notes.py": NOTES.replace("query, user_id", "query")}, []),  # only the write has an identity
        ({"notes.py": f"{NOTES}    def get(self, key): ...\n"}, [LISTED]),
        ({"notes.py": f"{NOTES}    add = with_retries(add)\n"}, [LISTED]),
        ({"test_notes.py": NOTES}, []),
        # Declared, it is understood, whether it is called or not.
        ({"notes.py": NOTES, "app.py": USED, "scope-lint.toml": declared("notes.Notes.add")}, []),
        ({"notes.py": NOTES, "scope-lint.toml": declared("Notes.add")}, []),
        ({"notes.py": NOTES, "scope-lint.toml": declared("Orders.add")}, [LISTED]),
        ({"notes.py": NOTES, "app.py": USED, "scope-lint.toml": declared("notes.add")}, []),
        ({"notes.py": NOTES, "scope-lint.toml": declared("notes.add")}, [LISTED]),
        # A call in it counts, or one that its methods make of theirs.
        ({"notes.py": NOTES.replace("text, user_id): ...", "text, user_id): bank.ingest_events(scope={})")}, []),
        (
            {
                "notes.py": NOTES.replace("user_id): ...", 'user_id): bank.ingest(scope={"user_id": user_id})', 1),
                "app.py": USED,
            },
            [],
        ),
        ({"notes.py": OWN_NOTES}, []),
        ({"notes.py": OWN_NOTES.replace("def put", "def add")}, ["notes.py:1:7 UserNotes add/recall/"]),  # another one
        # The SDK's own source.
        ({"graphiti_core/graphiti.py": SDK, "app.py": GRAPH}, []),
        ({"mine/graphiti.py": SDK, "app.py": GRAPH}, ["mine/graphiti.py:1:7 Graphiti add/search/delete_all"]),
        # What speaks of memory comes first.
        (
            {"notes.py": NOTES.replace("Notes", "Orders") + NOTES},
            ["notes.py:5:7 Notes add/search/delete_all", "notes.py:1:7 Orders add/search/delete_all"],
        ),
    ],
)
def test_a_class_that_looks_like_a_store_is_listed_unless_it_counts(
    write: Write, files: Mapping[str, str], expected: list[str]
) -> None:
    write(files)
    found = as_json()["uncounted"]
    methods = [
        "/".join(",".join(names) for role in ("write", "read", "delete") if isinstance(names := cls[role], list))
        for cls in found
    ]
    places = ["{path}:{line}:{column} {class}".format_map(cls) for cls in found]
    assert [" ".join(each) for each in zip(places, methods, strict=True)] == expected


def test_classes_in_test_code_are_listed_with_it(write: Write) -> None:
    write({"test_notes.py": NOTES})
    assert [cls["class"] for cls in as_json("--tests")["uncounted"]] == ["Notes"]


def test_looking_for_classes_changes_nothing_else(write: Write) -> None:
    write({"notes.py": NOTES, "broken.py": f"{NOTES}\ndef broken(:\n", "app.py": SHELF, "scope-lint.toml": SETTINGS})
    plain, full = check([Path()]), check([Path()], stores=True)
    assert [cls.place.path for cls in full.stores.classes] == ["notes.py"]
    assert replace(full, stores=Inventory()) == plain


def test_all_that_was_not_understood_ends_in_what_to_do(write: Write) -> None:
    write({"notes.py": NOTES, **{f"{name}.py": IMPORTED for name in "abcde"}})
    assert stores() == (
        """\
on, but without a call
  generic: calls that pass scope=
imported, but no memory call was recognised
  graphiti_core: a.py, b.py, c.py and 2 more
like stores, but not counted
  notes.py:1:7
    Notes: write add; read search; delete delete_all
declare what is missing in the settings: sinks = [{ call = "Notes.add", … }]
"""
    )


def test_places_in_notebooks_count_in_their_cell(write: Write) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in (HOME_MADE, NOTES)]
    write({"notes.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})})
    text = stores()
    assert "identity, first at\n          notes.ipynb:cell 1:2\n" in text
    assert "  notes.ipynb:cell 2:1:7\n    Notes: write add;" in text
    document = as_json()
    assert document["stores"][0]["why"] == {
        "how": "calls",
        "name": "ledger",
        "path": "notes.ipynb",
        "cell": 1,
        "line": 2,
    }
    assert [(cls["cell"], cls["line"]) for cls in document["uncounted"]] == [(2, 1)]


# --- form


def use(name: str, reason: Reason, *sinks: SinkUse) -> StoreUse:
    return StoreUse(name, reason, sinks, sum(sink.sites for sink in sinks), opaque=0, test=0, left_out=0)


def report(
    *stores: StoreUse, sdks: tuple[UnrecognisedSdk, ...] = (), classes: tuple[UncountedClass, ...] = ()
) -> Report:
    return Report((), (), (), Stats(), stores=Inventory(stores, sdks, classes))


def place(path: str, line: int) -> Place:
    return Place(path, Span(line, 7, line, 12))


DEEP = "packages/assistant/conversation/memory/backends/file_system"
LONG = report(
    use(
        "memory",
        Reason("import", "bank", "app/memory.py"),
        *(SinkUse(f"bank.write_with_a_long_name_{number}", "write", 97 + number) for number in range(4)),
        SinkUse("bank.read", "read", 7),
    ),
    use(
        "other",
        Reason("import", "bank.clients.asynchronous", f"{DEEP}/client.py"),
        SinkUse("bank.bind", "bind", 1),
    ),
    sdks=(UnrecognisedSdk(("bank", "bank_cloud"), ("bank",), tuple(f"{DEEP}/{name}.py" for name in "abcd")),),
    classes=tuple(
        UncountedClass(f"Memory{line}", place(f"{DEEP}/store.py", line), ("add", "update"), ("get", "search"), ())
        for line in range(1, 14)
    ),
)
"""What is wider than 80 cells, and longer than a screen."""
LONG_TEXT = """\
memory: 401 calls
  why     app/memory.py imports bank
  write   394  bank.write_with_a_long_name_3 100,
               bank.write_with_a_long_name_2 99,
               bank.write_with_a_long_name_1 98,
               bank.write_with_a_long_name_0 97
  read      7  bank.read 7
  delete    0
other: 1 call
  why     packages/assistant/conversation/memory/backends/file_system/client.py
          imports bank.clients.asynchronous
  bind      1  bank.bind 1
imported, but no memory call was recognised
  bank, bank_cloud:
    packages/assistant/conversation/memory/backends/file_system/a.py,
    packages/assistant/conversation/memory/backends/file_system/b.py,
    packages/assistant/conversation/memory/backends/file_system/c.py and 1 more
like stores, but not counted
"""


def test_lines_are_broken_to_fit_eighty_columns() -> None:
    text = STORES["text"](LONG)
    assert text.startswith(LONG_TEXT)
    assert max(map(len, text.splitlines())) <= 80


def test_a_long_list_of_classes_is_cut_in_text_alone() -> None:
    assert STORES["text"](LONG).splitlines()[-4:] == [
        f"  {DEEP}/store.py:10:7",
        "    Memory10: write add, update; read get, search",
        "  and 3 more: --format json",
        'declare what is missing in the settings: sinks = [{ call = "Memory1.add", … }]',
    ]
    assert len(json.loads(STORES["json"](LONG))["uncounted"]) == 13


def test_colour_adds_sequences_and_nothing_else() -> None:
    coloured = COLOURED_STORES["text"](LONG)
    assert ANSI.sub("", coloured) == STORES["text"](LONG)
    assert "\x1b[1mmemory\x1b[0m: 401 calls" in coloured
    assert "  \x1b[36mwrite\x1b[0m   394" in coloured


def test_opaque_calls_are_marked_in_colour() -> None:
    shown = COLOURED_STORES["text"](report(replace(LONG.stores.stores[0], opaque=2)))
    assert "401 calls, \x1b[33m2 opaque\x1b[0m\n" in shown


def test_no_stores_are_no_text() -> None:
    assert STORES["text"](report()) == ""


@given(st.text(min_size=1))
def test_no_name_reaches_the_terminal_raw(name: str) -> None:
    where = place(name, 1)
    reasons = (Reason("calls", name, place=where), Reason("mention", name, name), Reason("settings", place=where))
    shown = STORES["text"](
        report(
            *(StoreUse(name, reason, (SinkUse(name, "write", 1),), 1, 1, 1, 1) for reason in reasons),
            sdks=(UnrecognisedSdk((name,), (name,), (name,)),),
            classes=(UncountedClass(name, where, (name,), (name,), (name,)),),
        )
    )
    assert all(character == "\n" or visible(character) == character for character in shown)


def test_json_of_a_store(write: Write) -> None:
    write({"app.py": f"{SHELF}{BOTH}", "scope-lint.toml": SETTINGS, "test_app.py": SHELF})
    document = as_json()
    assert list(document) == ["version", "stores", "unrecognised", "uncounted"]
    assert document["stores"][0] == {
        "name": "shelf",
        "why": {"how": "settings", "name": None, "path": "scope-lint.toml", "line": 1},
        "sites": 3,
        "opaque": 1,
        "test": 0,
        "left_out": 3,
        "roles": {"write": 2, "read": 1, "delete": 0, "bind": 0},
        "sinks": [
            {"call": "put_away", "role": "write", "sites": 2},
            {"call": "look_up", "role": "read", "sites": 1},
            {"call": "throw_out", "role": "delete", "sites": 0},
        ],
    }
    assert document["stores"][1]["roles"] == {"write": 1, "read": 1, "delete": 0, "bind": 1}
    assert document["stores"][1]["sinks"] == [
        {"call": "run_async", "role": "readwrite", "sites": 1},
        {"call": "Runner", "role": "bind", "sites": 1},
    ]
    assert as_json("--tests")["stores"][0] | {"sinks": []} == {
        "name": "shelf",
        "why": {"how": "settings", "name": None, "path": "scope-lint.toml", "line": 1},
        "sites": 6,
        "opaque": 2,
        "test": 3,
        "left_out": 0,
        "roles": {"write": 4, "read": 2, "delete": 0, "bind": 0},
        "sinks": [],
    }


def test_json_of_a_home_made_store_says_where_it_was_found(write: Write) -> None:
    write({"app.py": HOME_MADE})
    found = {store["name"]: store["why"] for store in as_json()["stores"]}
    assert found["home-made ledger"] == {"how": "calls", "name": "ledger", "path": "app.py", "line": 2}


@pytest.mark.parametrize("form", ["text", "json"])
def test_two_runs_print_the_same_bytes(write: Write, form: str) -> None:
    write({"a.py": GRAPH, "b.py": f"{SHELF}{NOTES}", "c.py": "import chromadb, zep_cloud\n", "d.py": BOTH + GENERIC})
    write({"scope-lint.toml": SETTINGS, "e.py": HOME_MADE, "f.py": IMPORTED, "g.py": NOTES.replace("Notes", "More")})
    command = [sys.executable, "-m", "scope_lint", "stores", "--format", form]
    first, second = (
        subprocess.run(
            command, env=environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=60, check=True
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert "graphiti" in first
